import { analytics } from './analytics.ts'
import { auth } from './auth.ts'
import { events } from './events.ts'
import { imports } from './imports.ts'
import { invitations } from './invitations.ts'
import { me } from './me.ts'
import { members } from './members.ts'
import { privacy } from './privacy.ts'
import { projects } from './projects.ts'
import { publicPlane } from './public.ts'
import { publicKeys } from './public-keys.ts'
import { submissions } from './submissions/submissions.ts'
import { tags } from './submissions/tags.ts'
import { responses } from './surveys/responses.ts'
import { surveys } from './surveys/surveys.ts'
import { teams } from './teams.ts'
import { testimonials } from './testimonials.ts'
import { videos } from './videos.ts'
import { webhooks } from './webhooks.ts'
import { widgets } from './widgets.ts'

/** Every operation of the service. A place in this tree is a name on every surface. */
export const contracts = {
  me,
  teams,
  members,
  invitations,
  projects,
  publicKeys,
  submissions,
  tags,
  testimonials,
  surveys,
  responses,
  analytics,
  videos,
  imports,
  widgets,
  webhooks,
  events,
  privacy,
  auth,
  public: publicPlane,
}
export type Contracts = typeof contracts

export type { AnalyticsOverview, NpsAnalytics } from './analytics.ts'
export { type ChatMessage, chatMessages, newerChatMessage } from './chat-messages.ts'
export { commonLanguages } from './common-languages.ts'
export { csvCell } from './csv-cell.ts'
export { durations } from './durations.ts'
export { type ErrorGuide, errorGuides } from './error-guides.ts'
export { ApiError, type ErrorBody, type ErrorCode, errorCodes, errorRow, errorTable, FieldError } from './errors.ts'
export { Invitation, InvitationState } from './invitations.ts'
export { fixedScales, grouped, type LimitName, limits, sizes, wrongCodes } from './limits.ts'
export { type MailFields, type MailSecret, type MailTemplate, mailBudgets, mailData } from './mails.ts'
export { CredentialKind, Token } from './me.ts'
export { NotificationFrequency, type NotificationKind, notificationKinds } from './notifications.ts'
export type { Hints, Method, Operation, OperationTree, Traits } from './operation.ts'
export {
  hintsOf,
  isEverywhere,
  isOperation,
  listOperations,
  type NamedOperation,
  takesKey,
} from './operation-names.ts'
export { type Feature, monthlyQuotas, Plan, planIncludes, plans, type Quota, quotaNames } from './plans.ts'
export { Project } from './projects.ts'
export { PublicKey } from './public-keys.ts'
export { resourceDescriptions } from './resources.ts'
export { Role, roleSuffices, roles } from './roles.ts'
export { eventDescriptions, eventTypes } from './schemas/event-descriptions.ts'
export { DeliveredEvent, deliveredPayloads, Event, type EventData, eventPayloads, TEST_EVENT } from './schemas/event-payloads.ts'
export { EventType } from './schemas/event-types.ts'
export { type ImageFailure, imageFailures } from './schemas/image.ts'
export {
  DedupeBy,
  Import,
  type ImportFailure,
  ImportMode,
  type ImportPreset,
  ImportRow,
  type ImportRowError,
  importPresets,
} from './schemas/import.ts'
export { type ImportField, importFields } from './schemas/import-fields.ts'
export { ownNames, strangersWords } from './schemas/primitives.ts'
export { Question, QuestionInput, QuestionType } from './schemas/question.ts'
export { fitsAsStoredJson } from './schemas/stored-json.ts'
export { Channel, Submission, SubmissionKind, SubmissionState } from './schemas/submission.ts'
export type { SubmissionChange } from './schemas/submission-change.ts'
export { QuestionTexts, Survey, SurveyStatus, Translations } from './schemas/survey.ts'
export type { SurveyResponse } from './schemas/survey-response.ts'
export type { QuestionResults, SurveyResults } from './schemas/survey-results.ts'
export { Testimonial } from './schemas/testimonial.ts'
export type { Video, VideoDraftInput, VideoFailure, VideoState } from './schemas/video.ts'
export { Attempt, attemptErrorCodes, Delivery } from './schemas/webhook-delivery.ts'
export { WebhookEndpoint, WebhookFormat } from './schemas/webhook-endpoint.ts'
export { isReservedHeader, MASKED_VALUE, problemOfHeaders } from './schemas/webhook-headers.ts'
export type { EndpointStats } from './schemas/webhook-stats.ts'
export { Widget } from './schemas/widget.ts'
export { Scope, scopeDescriptions, scopes } from './scopes.ts'
export { type CheckedAnswer, checkAnswers, type GivenAnswer } from './surveys/answers.ts'
export { type AnswerValue, isShown } from './surveys/conditions.ts'
export { countNps, type NpsCounts, npsGroups, npsOf, percentOf } from './surveys/nps.ts'
export { Team } from './teams.ts'
export { UPLOAD_TOKEN_HEADER } from './videos.ts'
