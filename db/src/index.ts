export {
  type AccessAnswer,
  type AccessQuestion,
  countRequest,
  type Limit,
  readAccess,
  readVisit,
  type VisitAnswer,
  type VisitQuestion,
} from './access.ts'
export {
  changePassword,
  findPasswordReset,
  type LinkOutcome,
  type NewLink,
  requestPasswordReset,
  requestVerification,
  resetPassword,
  signUp,
  verifyEmail,
} from './accounts.ts'
export type { Actor } from './actor.ts'
export { type AttemptRow, listAttempts } from './attempts.ts'
export { type AuditRow, listAuditEntries } from './audit-log.ts'
export {
  createAuthorizationCode,
  takeAuthorizationCode,
} from './authorization-codes.ts'
export { type AuthorizationRow, deleteAuthorization, listAuthorizations } from './authorizations.ts'
export { type Backlog, type QueueDepth, readBacklog, readQueueDepths, readStoredDeliveries } from './backlog.ts'
export {
  type Database,
  type DatabaseAddress,
  type Executor,
  openDatabase,
  openTeamDatabase,
  type TeamDatabase,
  type Tx,
} from './database.ts'
export { type DeliveryRow, findDelivery, listDeliveries, redeliver } from './deliveries.ts'
export {
  createDeviceCode,
  type DevicePoll,
  decideDeviceCode,
  findDeviceRequest,
  pollDeviceCode,
} from './device-codes.ts'
export {
  type ClaimedDelivery,
  claimDeliveries,
  type DueEndpoint,
  type EndpointSlots,
  findDueEndpoints,
  LEASE_SECONDS,
} from './dispatch-claim.ts'
export { type AttemptRef, type AttemptResult, completeDeliveries, handBackDeliveries } from './dispatch-complete.ts'
export { beatWorker, forgetDeadWorkers, registerWorker, removeWorker, sweepDeliveries } from './dispatch-workers.ts'
export { startEmbeddedPostgres } from './embedded/cluster.ts'
export { connectEmbedded } from './embedded/connect.ts'
export { EmbeddedPostgresError } from './embedded/errors.ts'
export { numberEvents } from './event-feed.ts'
export { laterCursor, readEvents, readFeedEnds } from './events.ts'
export { disableFailingEndpoints } from './failing-endpoints.ts'
export { claimIdempotencyKey, storeIdempotentAnswer } from './idempotency.ts'
export {
  acceptInvitation,
  createInvitation,
  type InvitationLink,
  type InvitationRow,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from './invitations.ts'
export { type JobName, type JobPayload, jobs } from './jobs.ts'
export { addFirstJwtKey, listJwtKeys, type NewJwtKey, rotateJwtKey } from './jwt-keys.ts'
export { createLogIn, endLogIn } from './log-ins.ts'
export { findQueuedMail, listMails, type MailRow, queueMail, settleMail } from './mails.ts'
export { listMembers, type MemberRow, removeMember, transferOwnership, updateMember } from './members.ts'
export { confirmSecondFactor, disableSecondFactor, enrollSecondFactor, type SecondFactorUse, useSecondFactor } from './mfa.ts'
export {
  createOAuthClient,
  deleteOAuthClient,
  findOAuthClient,
  listOAuthClients,
  type OAuthClientRow,
} from './oauth-clients.ts'
export {
  type ActiveToken,
  inspectOAuthToken,
  issueTokens,
  revokeOAuthToken,
  type TokenPair,
} from './oauth-tokens.ts'
export { addTeamMember, createTeamFor, createTokenFor, createUser, findUserByEmail, setTeamPlan } from './operator.ts'
export { dropPastPartitions, ensurePartitions } from './partitions.ts'

export { prepareDatabase } from './prepare.ts'
export { createProject, deleteProject, findProject, listProjects, type ProjectFields, type ProjectRow, updateProject } from './projects.ts'
export { createPublicKey, listPublicKeys, type PublicKeyRow, revokePublicKey } from './public-keys.ts'
export { purgeDeleted } from './purge.ts'
export { queueConnection } from './queue.ts'
export { receiveSubmission } from './reception.ts'
export { type Rotation, rotateRefreshToken } from './refresh-tokens.ts'
export { beginReplay, continueReplay } from './replays.ts'
export { deletePast } from './retention.ts'
export { createSession, deleteSession, endSession, listSessions, prolongSession, type SessionRow } from './sessions.ts'
export { DatabaseSetupError } from './setup-error.ts'
export { findOwnSignIn, findSignIn, replacePasswordHash, type SignInAnswer, type SignInTry } from './sign-in.ts'
export { listSubmissions, type SubmissionFilters } from './submission-list.ts'
export {
  createSubmission,
  deleteSubmission,
  findSubmission,
  moderateSubmission,
  moderateSubmissions,
  type NewSubmission,
  revokeConsent,
  type SubmissionRow,
  updateSubmission,
} from './submissions.ts'
export { createTeam, deleteTeam, findTeam, listTeams, type TeamFields, type TeamRow, updateTeam } from './teams.ts'
export { beginTestDelivery, findTestDelivery, withdrawTestDelivery } from './test-deliveries.ts'
export { toTimestamp } from './timestamps.ts'
export { createToken, listTokens, revokeToken, type TokenRow } from './tokens.ts'
export { readUsage } from './usage.ts'
export { findUserWithTeams, type UserRow, type UserWithTeams, updateUser } from './users.ts'
export { readVitals } from './vitals.ts'
export {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  rotateWebhookSecret,
  type SealedSecret,
  updateWebhook,
  type WebhookEndpointRow,
} from './webhooks.ts'
