#!/usr/bin/env node
import { enableCompileCache, registerHooks } from 'node:module'
import process from 'node:process'

// Enabled before the program is loaded, so that its modules are cached from the second start on. Only this file is JavaScript:
// an entry file in TypeScript is read before the cache, and would load Node's compiler at each start, a third of the time.
enableCompileCache()
// zod loads its messages in fifty languages, a tenth of the time of `--help`, and the CLI shows none of them.
registerHooks({ resolve: (name, context, next) => next(name === '../locales/index.js' ? '../locales/en.js' : name, context) })
const { run } = await import('./program.ts')
const { processTerminal } = await import('./terminal.ts')

process.exitCode = await run(process.argv.slice(2), processTerminal())
