import { restParts, type SampleCall } from './call.ts'
import { LINE_WIDTH } from './literal.ts'
import { shellWord } from './shell.ts'

/** Returns a call with curl. The token is in the variable EARSHOT_TOKEN. */
export function curlSample(call: SampleCall): string {
  const { method, access, stream } = call.named.operation
  const { path, query, headers, body } = restParts(call)
  const options = [
    ...(access === 'credential' ? ['-H "Authorization: Bearer $EARSHOT_TOKEN"'] : []),
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    // Without a body, POST means {}.
    ...(body && Object.keys(body).length > 0 ? [`-H 'Content-Type: application/json'`, `-d ${shellWord(jsonOf(body))}`] : []),
  ]
  const address = shellWord(call.baseUrl + path + query)
  const start = ['curl', ...(stream === 'events' ? ['-N'] : []), ...(method === 'GET' ? [] : ['-X', method]), address].join(' ')
  return [start, ...options].join(' \\\n  ')
}

function jsonOf(body: Record<string, unknown>): string {
  const line = JSON.stringify(body)
  return line.length <= LINE_WIDTH ? line : JSON.stringify(body, null, 2)
}
