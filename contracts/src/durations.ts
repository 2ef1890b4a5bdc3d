/** Durations that the service promises, each with its unit last. */
export const durations = {
  /** How long the link of an invitation works. */
  invitationDays: 7,
  /** How long accepted, revoked and expired invitations are listed. */
  closedInvitationDays: 90,
  /** How long the link that confirms an e-mail address works. */
  emailVerificationHours: 24,
  /** How long the link that resets a password works. */
  passwordResetHours: 1,
  /** How long an account with an unconfirmed address is kept. */
  unverifiedAccountDays: 30,

  /** A session's life after its last use. */
  sessionIdleDays: 30,
  /** A session's life after sign-in, however much it is used. */
  sessionMaxDays: 90,
  /** How long a browser in which somebody signed in is known to the account. */
  deviceCookieDays: 180,
  /** The access token of a password login (JWT). */
  accessJwtMinutes: 15,
  /** The refresh token of a password login. */
  loginRefreshDays: 14,
  /** The access token of OAuth2. */
  oauthAccessHours: 1,
  /** The refresh token of OAuth2. */
  oauthRefreshDays: 30,

  /** How long the response to an idempotency key is kept. */
  idempotencyKeyHours: 24,
  /** How long a second submission with the same text from the same visitor counts as the first. */
  duplicateSubmissionMinutes: 10,

  /** How long a reserved import waits for its file and its completion, and how long the file of a dry run is kept. */
  importFileHours: 24,
  /** How long an import that stopped can be resumed: its quota resets next month. */
  importResumeDays: 62,

  /** How long a reserved upload of a video waits for its bytes and its completion. */
  videoUploadHours: 24,
  /** How long the draft of an upload that expired is kept, unless it was submitted. */
  expiredVideoDays: 30,
  /** How long the original of a video whose transcode failed is kept for a retry. */
  failedVideoDays: 7,
  /** How long the signed address of a clip, poster or caption works at least. */
  mediaUrlMinutes: 60,

  /** How many days figures are about, unless the caller says. */
  analyticsDays: 30,
  /** How many days they can be about. */
  analyticsMaxDays: 731,

  /** How long events are kept, and how far back a replay reaches. */
  eventDays: 30,
  deliveryDays: 30,
  attemptDays: 30,
  /** How many hours the figures of an endpoint are about, unless the caller says. */
  endpointStatsHours: 24,
  /** A day longer than they can be read, so that a range has whole hours. */
  attemptFigureDays: 31,
  mailDays: 30,
  auditLogDays: 365,

  /** How long the previous signing secret of an endpoint signs too after a rotation. */
  previousSecretHours: 24,
  /** How long an endpoint goes without a success before it is disabled… */
  failingEndpointDays: 5,
  /** …if its failures spread over at least this time. */
  failingEndpointHours: 12,
} as const
