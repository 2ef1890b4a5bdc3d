export { type AppOptions, buildApp } from './app.ts'
export type { AppRouter } from './implement.ts'
export { rotateJwtKey } from './jwt-keys.ts'
export { createLog, type Log } from './log.ts'

export { problemOfPassword } from './password-rules.ts'
export { hashPassword, makePassword } from './passwords.ts'
export { makePublicKey, makeToken } from './tokens.ts'
