export {
  type AccessQuery,
  type AccessRow,
  countRequest,
  type Limit,
  type PublicAccessQuery,
  type PublicAccessRow,
  readAccess,
  readPublicAccess,
} from './access.ts'
export { findLinkedAccount, type LinkOutcome, type LinkPurpose, type NewLink } from './account-links.ts'
export { signUp, verifyEmail } from './accounts.ts'
export { addTeamMember, createTeamFor, createTokenFor, createUser, findUserByEmail, setTeamPlan } from './admin.ts'
export { readNpsPeriods } from './analytics/nps.ts'
export { type RangeFigures, readOverview } from './analytics/overview.ts'
export { type AuditRow, listAuditEntries } from './audit-log.ts'
export { type AuthorizationRow, deleteAuthorization, listAuthorizations } from './authorizations.ts'
export {
  type Database,
  type DatabaseAddress,
  openDatabase,
  openTeamDatabase,
  type Patience,
  type TeamDatabase,
  type Tx,
  transaction,
} from './driver/database.ts'
export { ForeignRowError } from './driver/errors.ts'
export { readServers } from './driver/servers.ts'
export { readEvents, readFeedEnds } from './events.ts'
export { claimIdempotencyKey, findIdempotentResult, storeIdempotentResult } from './idempotency.ts'
export {
  type ClaimedImage,
  claimImage,
  failImage,
  finishImage,
  forgetImages,
  handImageBack,
  hasDueImages,
  type MadeImage,
  postponeImage,
} from './images/copies.ts'
export { findImage, type ImageRef, type ShownImage } from './images/shown.ts'
export { createImport, type ImportSource } from './imports/create.ts'
export { expireImportFiles, findAwaitedImport, noteImportFile, readImportFile } from './imports/file.ts'
export { findImport, type ImportRef, importRefOf, listImportRows, listImports, presentImport } from './imports/imports.ts'
export { type ImportItem, SeenKeys } from './imports/plan.ts'
export { failImport, findRunningImport, noteRecognizedFile, type RecognizedFile, readOnLater, restartDryRun } from './imports/run.ts'
export { completeImport, resumeImport, undoImport } from './imports/state.ts'
export { type BatchOutcome, storeImportRows } from './imports/store-rows.ts'
export { continueUndo } from './imports/undo.ts'
export { acceptInvitation } from './invitations/accept.ts'
export { createInvitation } from './invitations/create.ts'
export { listInvitations } from './invitations/list.ts'
export { resendInvitation } from './invitations/resend.ts'
export { revokeInvitation } from './invitations/revoke.ts'
export { type InvitationLink, presentInvitation } from './invitations/row.ts'
export { type JobName, type JobPayload, jobs } from './jobs.ts'
export { addFirstJwtKey, listJwtKeys, type NewJwtKey, rotateJwtKey } from './jwt-keys.ts'
export { createLogin, endLogin } from './logins.ts'
export { findUnsettledMail, listMails, type MailRow, queueMail, queueMails, settleMail } from './mails.ts'
export { listMembers, listRoles, presentMember, removeMember, transferOwnership, updateMember } from './members.ts'
export { confirmSecondFactor, disableSecondFactor, enrollSecondFactor, type SecondFactorUse, useSecondFactor } from './mfa.ts'
export { chooseNotifications, listNotifications } from './notifications/settings.ts'
export { noteOrphans, type Orphans, type StoredBlob } from './orphans.ts'
export { changePassword, requestPasswordReset, resetPassword } from './passwords.ts'
export { erasePerson } from './privacy/erase.ts'
export { continueErasure } from './privacy/erasure.ts'
export { exportPerson, type PersonalDataPage } from './privacy/export.ts'
export type { UploadedFiles } from './privacy/import-files.ts'
export { personMessage } from './privacy/person.ts'
export {
  erasedPersons,
  findPrivacyRequest,
  listPrivacyRequests,
  type PrivacyRequestRow,
  personalNouns,
  type RecipientRow,
} from './privacy/requests.ts'
export { createProject, deleteProject, findProject, listProjects, type ProjectFields, type ProjectRow, updateProject } from './projects.ts'
export { createPublicKey, listPublicKeys, type PublicKeyRow, revokePublicKey } from './public-keys.ts'
export { createSession, deleteSession, endSession, listSessions, prolongSession, type SessionRow } from './sessions.ts'
export { countTry, findOwnSignIn, findSignIn, replacePasswordHash, type SignInRow, type TryCounter, uncountTry } from './sign-in.ts'
export type { Actor, UserActor } from './sql/actor.ts'
export type { Changes } from './sql/audit.ts'
export { laterCursor } from './sql/feed-pages.ts'
export { encodeCursor, type PageQuery } from './sql/pages.ts'
export { inUtc, toTimestamp } from './sql/timestamps.ts'
export { revokeConsent } from './submissions/consent.ts'
export { countSubmissions, type SubmissionCount } from './submissions/counts.ts'
export { createSubmission, type NewSubmission } from './submissions/create.ts'
export type { Dimension } from './submissions/day-figures.ts'
export { deleteSubmission } from './submissions/delete.ts'
export { readSubmissionFeed, readSubmissionFeedEnds, type SubmissionChangeRow } from './submissions/feed.ts'
export { submissionFields, testimonialFields } from './submissions/fields.ts'
export { findSubmission } from './submissions/find.ts'
export { type ListedSubmission, listSubmissions, type SubmissionFilters } from './submissions/list.ts'
export { moderateSubmission, moderateSubmissions } from './submissions/moderate.ts'
export { datePastDecisions } from './submissions/past-decisions.ts'
export { type Reception, receiveSubmission } from './submissions/receive.ts'
export { continueTagChange, deleteTag, listTags, renameTag } from './submissions/tags.ts'
export { updateSubmission } from './submissions/update.ts'
export { ANSWERED } from './surveys/answer-buckets.ts'
export { type AskedQuestion, listAskedQuestions } from './surveys/asked-questions.ts'
export { createPastResponses, type PastResponse } from './surveys/past-responses.ts'
export { receiveResponse } from './surveys/receive-response.ts'
export { createResponse } from './surveys/respond.ts'
export { listResponses, type ResponseFilters } from './surveys/response-list.ts'
export { deleteResponse, findResponse, presentResponse } from './surveys/responses.ts'
export { findResults, type Results } from './surveys/results.ts'
export { listSurveySummaries } from './surveys/summaries.ts'
export {
  closeSurvey,
  createSurvey,
  deleteSurvey,
  findSurvey,
  listSurveys,
  publishSurvey,
  type SurveyRow,
  updateSurvey,
} from './surveys/surveys.ts'
export type { FailedRow, ImportRow } from './tables/imports.ts'
export type { SubmissionRow } from './tables/submissions.ts'
export { createTeam, deleteTeam, findTeam, listTeams, type TeamFields, type TeamRow, updateTeam } from './teams.ts'
export { createToken, listTokens, revokeToken, type TokenRow } from './tokens.ts'
export { abandonBlob, announceBlob, forgetBlob, listUnusedBlobs } from './unused-blobs.ts'
export { readUsage } from './usage.ts'
export { findUserWithTeams, type UserRow, type UserWithTeams, updateUser } from './users.ts'
export { createCaption, deleteCaption } from './videos/captions.ts'
export { completeVideo, retryVideo } from './videos/complete.ts'
export { deleteVideo } from './videos/delete.ts'
export { draftFields, newDraft, submitDraft, updateDraft } from './videos/draft.ts'
export { expireUploads, releaseOriginals } from './videos/expire.ts'
export { releaseLease, renewLease, takeLease, type VideoLease } from './videos/lease.ts'
export {
  appendParts,
  declareLength,
  discardParts,
  findUpload,
  listParts,
  readUpload,
  type StoredPart,
  terminateUpload,
  type Upload,
} from './videos/ledger.ts'
export { listVideoFiles, nextTeamWithVideos, noteLostFiles, type VideoFiles } from './videos/lost-files.ts'
export { findMedia, type MediaAudience, type MediaRow } from './videos/media.ts'
export type { PublicVideoRow } from './videos/public.ts'
export type { VideoRef } from './videos/ref.ts'
export { findVideoLimits, reserveVideo } from './videos/reserve.ts'
export {
  claimTranscode,
  failTranscode,
  finishTranscode,
  handBackTranscode,
  hasWaitingVideos,
  listExpiredTranscodes,
  noteNoTranscoder,
  renewTranscode,
  sweepTranscodes,
  type Transcode,
} from './videos/transcodes.ts'
export { type CaptionedVideo, findVideo, listVideos, type MediaLinks, presentCaption, presentDraft, presentVideo } from './videos/videos.ts'
export { type AttemptFigures, addAttempts, noAttempts } from './webhooks/attempt-codes.ts'
export { type AttemptRow, listAttempts } from './webhooks/attempts.ts'
export { type DeliveryRow, findDelivery, listDeliveries, redeliver } from './webhooks/deliveries.ts'
export {
  type ChangeHeaders,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  rotateWebhookSecret,
  type SealedHeaders,
  type SealedSecret,
  updateWebhook,
  type WebhookEndpointRow,
  type WebhookFields,
} from './webhooks/endpoints.ts'
export { latencyPercentile } from './webhooks/latency-buckets.ts'
export { type ExpungedEvent, expungeEvent } from './webhooks/payloads.ts'
export { beginReplay, continueReplay } from './webhooks/replays.ts'
export { type EndpointStats, listEndpointStats, readEndpointStats } from './webhooks/stats.ts'
export { beginTestDelivery, findTestDelivery, withdrawTestDelivery } from './webhooks/test-deliveries.ts'
export {
  createWidget,
  deleteWidget,
  findWidget,
  listWidgets,
  type PublicWidgetRow,
  readPublicWidget,
  updateWidget,
  type WidgetFields,
  type WidgetItemRow,
  type WidgetRow,
} from './widgets.ts'
export { type CodeOutcome, tryCode } from './wrong-codes.ts'
