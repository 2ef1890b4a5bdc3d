import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Prints the packages whose modules the service loads before it starts. */
const PROGRAM = `
import { registerHooks } from 'node:module'
const packages = new Set()
registerHooks({
  load(url, context, next) {
    const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
    if (name) packages.add(url.endsWith('/undici/index.js') ? 'undici, all of it' : name)
    return next(url, context)
  },
})
await import('./app/service.ts')
console.log(JSON.stringify([...packages]))
process.exit(0)
`

test('what is needed seldom is not loaded at the start', { timeout: 60_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM])
  const loaded: string[] = JSON.parse(stdout)
  expect(loaded).toEqual(expect.arrayContaining(['fastify', 'undici', 'zod']))
  for (const seldom of [
    '@modelcontextprotocol/server',
    '@node-oauth/oauth2-server',
    '@tus/server',
    'csv-parse',
    'luxon',
    'trpc-to-openapi',
    'undici, all of it',
  ])
    expect(loaded, seldom).not.toContain(seldom)
})
