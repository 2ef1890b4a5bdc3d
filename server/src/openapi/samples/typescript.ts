import { isList, type SampleCall } from './call.ts'
import { JAVASCRIPT, literalOf } from './literal.ts'

/** Returns a call with the package @earshot/client. */
export function typescriptSample(call: SampleCall): string {
  const { access } = call.named.operation
  const token = access === 'credential' ? ', token: process.env.EARSHOT_TOKEN' : ''
  return `import { createClient } from '@earshot/client'

const earshot = createClient({ baseUrl: '${call.baseUrl}'${token} })
${statement(call)}`
}

function statement(call: SampleCall): string {
  const { name, operation } = call.named
  const method = `earshot.${name}`
  const around = (start: string, end: string) => `${start}${method}(${inputOf(call, start.length + method.length + end.length + 2)})${end}`
  if (operation.stream === 'events') return around('for await (const { cursor, data } of ', ') console.log(cursor, data.type)')
  if (operation.stream === 'records') return around('for await (const record of ', ') console.log(record)')
  if (isList(call)) return around('for await (const item of ', ') console.log(item)')
  return operation.status === 204 ? around('await ', '') : around('console.log(await ', ')')
}

function inputOf({ input }: SampleCall, before: number): string {
  return Object.keys(input).length === 0 ? '' : literalOf(input, JAVASCRIPT, { before })
}
