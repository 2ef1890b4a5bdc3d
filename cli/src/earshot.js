#!/usr/bin/env node
import { enableCompileCache, registerHooks } from 'node:module'
import process from 'node:process'

// Enabled before the program is loaded, so that its modules are cached from the second start on. Only this file is JavaScript:
// an entry file in TypeScript is read before the cache, and would load Node's compiler at each start, a third of the time.
enableCompileCache()
// zod loads its messages in fifty languages, a tenth of the time of `--help`, and the CLI shows none of them.
// A relative import is an address as it stands. Node would look for a package.json beside each, a fifth of the time.
registerHooks({
  resolve(name, context, next) {
    const wanted = name === '../locales/index.js' ? '../locales/en.js' : name
    if (!wanted.startsWith('.') || !context.conditions.includes('import')) return next(wanted, context)
    return { url: new URL(wanted, context.parentURL).href, shortCircuit: true }
  },
})
const { run } = await import('./program.ts')
const { processTerminal } = await import('./terminal.ts')

process.exitCode = await run(process.argv.slice(2), processTerminal())
