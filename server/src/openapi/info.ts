/** The description of the API: what applies to every operation. */
export const INFO_DESCRIPTION = `Earshot collects feedback from visitors for teams: text, videos, testimonials and surveys. The team moderates submissions; an approved item with the visitor's consent is public.

- **Two planes.** \`/api/v1/\` is for a team's own programs and takes a credential. \`/api/public/v1/\` is for visitors' browsers and takes none: a public key identifies the project but grants no access.
- **JSON** in snake_case. Timestamps are RFC 3339 in UTC with milliseconds. Ids are UUIDs that sort by creation time. Responses contain every field; an absent value is \`null\`. New response fields and event types may be added: ignore unknown ones. Requests are strict: an unknown field or query parameter is an error.
- **Paths** end in a slash. Requests without it work too.
- **Lists** return \`results\` and \`next_cursor\`. A page may be short or even empty; only a \`next_cursor\` of \`null\` ends a list.
- **Errors** have a \`detail\` for people, a \`code\` for programs and a \`request_id\`. Invalid fields are listed in \`errors\`.
- **Retries** of a POST are safe with an \`Idempotency-Key\`. After a 429 or 503, wait for the seconds in \`Retry-After\`.
- **Rate limits** are reported in \`RateLimit\` and \`RateLimit-Policy\`, and in \`X-RateLimit-*\` for older clients.`
