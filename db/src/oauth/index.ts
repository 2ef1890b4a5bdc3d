export {
  createAuthorizationCode,
  takeAuthorizationCode,
} from './authorization-codes.ts'
export {
  createOAuthClient,
  deleteOAuthClient,
  findOAuthClient,
  listOAuthClients,
  type OAuthClientRow,
} from './clients.ts'
export {
  createDeviceCode,
  type DevicePoll,
  decideDeviceCode,
  findDeviceRequest,
  pollDeviceCode,
} from './device-codes.ts'
export { type Rotation, rotateRefreshToken } from './refresh-tokens.ts'
export {
  type ActiveToken,
  inspectOAuthToken,
  issueTokens,
  revokeOAuthToken,
  type TokenPair,
} from './tokens.ts'
