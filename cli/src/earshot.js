#!/usr/bin/env node
import { enableCompileCache, registerHooks } from 'node:module'
import process from 'node:process'

// Before the program is loaded, so that its modules come compiled from the second start on. This file alone is JavaScript:
// a first file in TypeScript comes before the cache, and would load Node's compiler at each start, for a third of the time.
enableCompileCache()
// zod reads its messages in fifty languages when it is loaded, a tenth of the time of `--help`. Nothing here shows any.
registerHooks({ resolve: (name, context, next) => next(name === '../locales/index.js' ? '../locales/en.js' : name, context) })
const { run } = await import('./program.ts')
const { processTerminal } = await import('./terminal.ts')

process.exitCode = await run(process.argv.slice(2), processTerminal())
