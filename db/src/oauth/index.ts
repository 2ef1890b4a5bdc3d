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
  pollDeviceCode,
} from './device-codes.ts'
export { decideDeviceCode, findDeviceRequest } from './device-requests.ts'
export { type Rotation, rotateRefreshToken } from './refresh-tokens.ts'
export {
  type ActiveToken,
  inspectOAuthToken,
  issueTokens,
  revokeOAuthToken,
  type TokenPair,
} from './tokens.ts'
