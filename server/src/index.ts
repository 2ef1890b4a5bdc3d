export { type AppOptions, buildApp } from './app.ts'
export type { AppRouter } from './implement.ts'
export { createLog, type Log } from './log.ts'
export { DEVICE_CODE } from './oauth/grant-types.ts'
export { isAllowedRedirectUri } from './oauth/redirect-uri.ts'
export { isGrantable } from './oauth/scopes.ts'

export { hashPassword, makePassword } from './passwords.ts'
export { makeClientId, makePublicKey, makeToken } from './tokens.ts'
