import type { ErrorCode } from './errors.ts'

/** What developers read about an error. Code is in backticks. */
export interface ErrorGuide {
  /** When it occurs. */
  meaning: string
  /** What a client does about it. */
  action: string
  /** Example values of the fields that go with the code. */
  fields?: Readonly<Record<string, unknown>>
  /** What returns an error that no operation of the reference has. */
  returnedBy?: string
}

/** The guide of each error code. A code without one does not compile. */
export const errorGuides: Readonly<Record<ErrorCode, ErrorGuide>> = {
  validation_error: {
    meaning: 'A field of the path, the query or the body is missing, unknown or invalid. `errors` names each such field.',
    action: 'Correct the fields that `errors` lists. Do not repeat the request unchanged.',
    fields: { errors: [{ field: 'author.email', code: 'invalid_format', detail: 'must be an e-mail address' }] },
  },
  malformed_json: {
    meaning: 'The body cannot be parsed: it is not JSON, not UTF-8, nested too deeply, or has a key such as `__proto__`.',
    action: 'Write the body with a JSON library, and encode it in UTF-8.',
  },
  invalid_cursor: {
    meaning: 'The `cursor` was not made by this list, or was changed.',
    action: 'Send the `next_cursor` of the page before, with the same filters. Without a cursor, the list begins again.',
  },
  not_authenticated: {
    meaning: 'The request carries no credential, or one in another form than the service reads.',
    action: 'Send the header `Authorization: Bearer <token>`.',
  },
  invalid_credentials: {
    meaning: 'The e-mail address, the password or the one-time code is wrong. The response does not tell which.',
    action: 'Ask the person again. Failed attempts are limited.',
  },
  invalid_token: {
    meaning:
      'The token is unknown, deleted or revoked, it works once and was used before, or it was sent in the query string, where none is accepted.',
    action:
      'Send the token in the header `Authorization`. If it was deleted, create another one or sign in again; a refresh token that is sent twice ends its login. For the link of a mail, ask for a new mail.',
  },
  token_expired: {
    meaning: 'The token has expired.',
    action: 'Refresh it if it came with a refresh token; otherwise create another one.',
  },
  quota_exceeded: {
    meaning: 'The team has used up a quota of its plan. `quota` names it; `resets_at` is null for one that does not reset.',
    action:
      'Wait until `resets_at`, delete what is no longer needed, or ask an owner of the team to choose a larger plan. Do not retry in a loop.',
    fields: { quota: 'submissions', limit: 5000, used: 5000, resets_at: '2026-12-01T00:00:00.000Z' },
  },
  feature_not_in_plan: {
    meaning: "The team's plan does not include what the operation needs. `feature` names it.",
    action: 'Ask an owner of the team to choose a plan that includes it.',
    fields: { feature: 'audit_log', plan: 'pro' },
  },
  insufficient_scope: {
    meaning: 'The credential does not carry the scope of the operation, whatever the role of its owner.',
    action: 'Use a credential with `required_scope`. Scopes of a token cannot be added later: create another token.',
    fields: { required_scope: 'moderate:submissions' },
  },
  insufficient_role: {
    meaning: 'The role of the person in this team does not allow the operation, whatever the scopes of the credential.',
    action: 'Ask an admin or owner of the team to give you `required_role`, or to do it for you.',
    fields: { required_role: 'admin' },
  },
  plan_without_api_access: {
    meaning: "The team's plan has no API access. The pages of the service still work.",
    action: 'Ask an owner of the team to choose a plan with API access.',
  },
  mfa_enabled: {
    meaning: 'The account uses two-factor authentication, so its password alone gets no JWT.',
    action: 'Use a personal access token or OAuth2.',
  },
  origin_not_allowed: {
    meaning: 'A browser sent the request from a page whose origin the team does not allow.',
    action: 'Add the origin to `settings.cors_origins` of the team, or call the API from a server.',
  },
  csrf_failed: {
    meaning: 'A request with a session cookie, or one that signs in or out, was not made by a page of this service.',
    action: 'Send a token instead of the cookie.',
  },
  email_not_verified: {
    meaning: 'The account has not confirmed its e-mail address.',
    action: 'Open the link in the mail of the sign-up, or ask for a new one on the sign-in page.',
  },
  webhook_loop: {
    meaning:
      'The request carries the headers of a webhook delivery: a receiver forwarded it to the public API, which would cause more deliveries.',
    action: 'Do not copy headers of deliveries to requests of your own.',
  },
  not_found: {
    meaning: 'There is no such path or record, it was deleted, or it belongs to a team that the credential cannot see.',
    action: 'Check every id in the path, and that the credential belongs to a member of the team.',
  },
  method_not_allowed: {
    meaning: 'The path exists and takes other methods.',
    action: 'Use a method that the header `Allow` lists.',
    returnedBy: 'Requests with a method that the path does not have.',
  },
  state_conflict: {
    meaning: 'The record is not in the state that the request expects: somebody else changed it, or the operation does not apply to it.',
    action:
      'Read the record, decide anew, and send the state that you expect where the operation takes `expected_state` or `expected_updated_at`.',
    fields: { current_state: 'approved' },
  },
  already_exists: {
    meaning: 'Another record has a value that must be unique, such as a slug or an `external_id`.',
    action: 'Choose another value, or update the record that exists.',
  },
  last_owner: {
    meaning: 'The team would be left without an owner.',
    action: 'Give another member the role `owner` first.',
  },
  idempotency_key_reused: {
    meaning: 'The same credential sent the same `Idempotency-Key` with another operation or input within 24 hours.',
    action: 'Make a new key for each new request, and repeat a key with the same input only.',
  },
  idempotency_in_progress: {
    meaning: 'The first request with this `Idempotency-Key` was still running after ten seconds.',
    action: 'Repeat the request with the same key after a moment.',
  },
  cursor_expired: {
    meaning: 'Events after this cursor are no longer kept, or the database was restored from a backup.',
    action: 'Continue at `oldest_cursor` to read all that is kept, or at `newest_cursor` to read only what comes next.',
    fields: { oldest_cursor: 'f0', newest_cursor: 'f2s' },
  },
  offset_conflict: {
    meaning: 'A part does not begin at the current offset of the upload.',
    action: 'Continue at `offset_bytes`. Clients of tus ask for it by `HEAD`.',
    fields: { offset_bytes: 1048576 },
    returnedBy: 'Uploads by tus.',
  },
  upload_expired: {
    meaning: 'The upload was not completed in time, and its bytes were removed.',
    action: 'Reserve a new upload and send the file again.',
    returnedBy: 'Uploads by tus.',
  },
  tus_version_unsupported: {
    meaning: 'The request names no version of tus, or another one.',
    action: 'Send `Tus-Resumable: 1.0.0`.',
    returnedBy: 'Uploads by tus.',
  },
  body_too_large: {
    meaning: 'The body has more bytes than the operation accepts. It was not read to its end.',
    action: 'Send at most `limit_bytes`. Large files have uploads of their own.',
    fields: { limit_bytes: 1048576 },
  },
  unsupported_media_type: {
    meaning: 'The body is not announced as JSON.',
    action: 'Send `Content-Type: application/json`.',
  },
  upload_locked: {
    meaning: 'Another request writes to the same upload at this moment.',
    action: 'Wait for the seconds in `Retry-After`, ask for the offset, and continue there.',
    returnedBy: 'Uploads by tus.',
  },
  rate_limited: {
    meaning: 'There were more requests than the limit in this window. `RateLimit` says which limit, and when it resets.',
    action: 'Wait for the seconds in `Retry-After`, then repeat the request. There is no other penalty.',
  },
  abuse_blocked: {
    meaning: 'The address exceeded the limits of `/api/public/v1/` repeatedly, and is blocked for a while.',
    action: 'Wait for the seconds in `Retry-After`, and send fewer requests.',
  },
  headers_too_large: {
    meaning: 'The headers of the request, with its path and cookies, are larger than the service reads.',
    action: 'Send fewer or shorter headers, and fewer filters in the query.',
  },
  checksum_mismatch: {
    meaning: 'The bytes of a part of an upload differ from its `Upload-Checksum`.',
    action: 'Send the same part again.',
    returnedBy: 'Uploads by tus.',
  },
  internal_error: {
    meaning: 'The service failed in a way that it did not expect. The operator finds the request by its `request_id`.',
    action:
      'Repeat a read, or a request with an `Idempotency-Key`, later. Of others, check first whether they took effect. Report the `request_id` if it happens again.',
  },
  dependency_unavailable: {
    meaning: 'The database or the file store does not answer, or the service is shutting down.',
    action:
      'Wait for the seconds in `Retry-After`, then repeat a read, or a request with an `Idempotency-Key`. Of others, check first whether they took effect.',
  },
}
