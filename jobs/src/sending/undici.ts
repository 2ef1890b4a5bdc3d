import { createRequire } from 'node:module'

type Undici = typeof import('undici')
export type Agent = import('undici').Agent
export type Client = import('undici').Client

const require = createRequire(import.meta.url)

/** The parts of undici that send. Its index also loads fetch, WebSocket, caches and mocks, which takes 13 MB more. */
export const Agent: Undici['Agent'] = require('undici/lib/dispatcher/agent.js')
export const Client: Undici['Client'] = require('undici/lib/dispatcher/client.js')
export const Pool: Undici['Pool'] = require('undici/lib/dispatcher/pool.js')
export const errors: Undici['errors'] = require('undici/lib/core/errors.js')

const Dispatcher: Undici['Dispatcher'] = require('undici/lib/dispatcher/dispatcher.js')
// As its index does: adds `request` and the other methods of the API.
Object.assign(Dispatcher.prototype, require('undici/lib/api/index.js'))
