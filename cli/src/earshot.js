#!/usr/bin/env node
import module from 'node:module'
import process from 'node:process'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 12)) {
  process.stderr.write(`error: earshot needs Node 20.12 or newer, and this is ${process.versions.node}\n`)
  process.exit(2)
}

// Enabled before the program is loaded, so that its modules are cached from the second start on. Only this file is JavaScript:
// an entry file in TypeScript is read before the cache, and would load Node's compiler at each start. Node 20 has no cache.
module.enableCompileCache?.()
const { run } = await import('./program.ts')
const { processTerminal } = await import('./terminal.ts')

process.exitCode = await run(process.argv.slice(2), processTerminal())
