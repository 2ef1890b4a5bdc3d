/** Durations that the service promises, each with its unit last. */
export const durations = {
  /** The link of an invitation. */
  invitationDays: 7,
  /** How long accepted, revoked and expired invitations are listed. */
  closedInvitationDays: 90,
  /** The link that confirms the e-mail address of a new account. */
  emailVerificationHours: 24,
  /** The link that sets a new password. */
  passwordResetHours: 1,
  /** Accounts whose e-mail address was never confirmed are deleted after this. */
  unverifiedAccountDays: 30,

  /** A session ends this long after its last use… */
  sessionIdleDays: 30,
  /** …and this long after sign-in at the latest. */
  sessionMaxDays: 90,
  /** Access and refresh tokens of a password login (JWT). */
  accessJwtMinutes: 15,
  loginRefreshDays: 14,
  /** Access and refresh tokens of OAuth2. */
  oauthAccessHours: 1,
  oauthRefreshDays: 30,

  /** How long the first answer to an idempotency key is kept. */
  idempotencyKeyHours: 24,
  /** A second submission with the same words from the same visitor counts as the first within this time. */
  duplicateSubmissionMinutes: 10,

  /** Events, deliveries, attempts and mails are kept this long; a replay reaches as far back. */
  eventDays: 30,
  deliveryDays: 30,
  attemptDays: 30,
  mailDays: 30,
  auditLogDays: 365,

  /** The previous signing secret of an endpoint signs too for this long after a rotation. */
  previousSecretHours: 24,
  /** An endpoint is disabled after this long without a success… */
  failingEndpointDays: 5,
  /** …if its failures spread over at least this long. */
  failingEndpointHours: 12,
} as const
