import { existsSync, mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { startService } from '../support/service-process.ts'

/** Writes the address of each file that the service loads into a file. */
const HOOK = `data:text/javascript,${encodeURIComponent(`
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, url + '\\n')
    return next(url, context)
  },
})
`)}`

test('what is needed seldom is not loaded at the start', { timeout: 60_000 }, async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'earshot-loaded-'))
  await using dataDir = makePreparedDataDir()
  const LOADED = join(directory.path, 'loaded')
  await using _service = await startService({ EARSHOT_DATA_DIR: dataDir.path, NODE_OPTIONS: `--import ${HOOK}`, LOADED })
  const loaded = packagesOf(readFileSync(LOADED, 'utf8').trim().split('\n'))
  expect([...loaded]).toEqual(expect.arrayContaining(['fastify', 'undici', 'zod', 'graphile-worker']))
  for (const seldom of [
    '@aws-sdk/client-s3',
    '@modelcontextprotocol/server',
    '@node-oauth/oauth2-server',
    '@tus/server',
    'csv-parse',
    'luxon',
    'nodemailer',
    'trpc-to-openapi',
    'undici, all of it',
    'yaml',
  ])
    expect([...loaded], seldom).not.toContain(seldom)
})

/** Returns the packages that loaded files are made from. A file of the build names its sources in its source map. */
function packagesOf(addresses: readonly string[]): Set<string> {
  const sources = addresses.flatMap((address) => {
    const map = address.startsWith('file:') ? `${fileURLToPath(address)}.map` : ''
    return address.includes('/app/dist/') && existsSync(map) ? (JSON.parse(readFileSync(map, 'utf8')).sources as string[]) : [address]
  })
  const packages = sources.map((source) =>
    source.endsWith('/undici/index.js') ? 'undici, all of it' : /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1],
  )
  return new Set(packages.filter((name) => name !== undefined))
}
