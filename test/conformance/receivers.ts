import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { CONFORMING, tryReceiver } from '../receivers/conformance.ts'
import type { DeliverySource } from '../receivers/delivery-source.ts'
import type { Command } from '../receivers/example-process.ts'
import { run, TOP } from './command.ts'
import { installDebian } from './debian.ts'
import { buildGo, GoError } from './go.ts'
import { PythonError, preparePython } from './python.ts'

/** Receivers in other languages: the examples, and the package of Standard Webhooks for Go. */
const receivers: Record<string, { prepare: () => Promise<Command>; toleranceSeconds?: number }> = {
  'Flask with hmac': { prepare: () => python('flask_hmac.py') },
  'Flask with standardwebhooks': { prepare: () => python('flask_standardwebhooks.py'), toleranceSeconds: 302 },
  'Go with net/http': { prepare: () => go('examples/receivers/go') },
  'Go with standardwebhooks': { prepare: () => go('test/conformance/standard-webhooks'), toleranceSeconds: 302 },
  'a shell with openssl': { prepare: openssl },
}

/** Sends deliveries to receivers in other languages, which are written from the documentation alone. Resolves to the problems, or null. */
export async function checkReceivers(openSource: () => Promise<DeliverySource>): Promise<string | null> {
  const problems: string[] = []
  for (const [name, { prepare, ...options }] of Object.entries(receivers)) {
    await using source = await openSource()
    try {
      const results = await tryReceiver(source, await prepare(), options)
      if (!isDeepStrictEqual(results, CONFORMING)) problems.push(`${name}: ${differences(results)}`)
      console.log(`${name}: ${Object.keys(results).length} results`)
    } catch (error) {
      if (!(error instanceof PythonError || error instanceof GoError)) throw error
      problems.push(`${name}: ${error.message}`)
    }
  }
  return problems.length === 0 ? null : problems.join('; ')
}

function differences(results: Record<string, number>): string {
  const expected: Record<string, number> = CONFORMING
  return Object.entries(results)
    .filter(([what, result]) => expected[what] !== result)
    .map(([what, result]) => `${what} ${result} instead of ${expected[what]}`)
    .join(', ')
}

async function python(file: string): Promise<Command> {
  return { program: join(await preparePython(), 'python'), args: [join(TOP, 'examples/receivers', file)] }
}

async function go(folder: string): Promise<Command> {
  return { program: await buildGo(folder), args: [] }
}

async function openssl(): Promise<Command> {
  if ((await run('openssl', ['version'])).exitCode !== 0) await installDebian('openssl')
  return {
    program: process.execPath,
    args: [fileURLToPath(new URL('./serve-cgi.ts', import.meta.url)), join(TOP, 'examples/receivers/openssl.sh')],
    environment: { DONE_DIRECTORY: mkdtempSync(join(tmpdir(), 'earshot-done-')) },
  }
}
