/** What holds for every operation, at the head of the document. */
export const INFO_DESCRIPTION = `Collects feedback from visitors for teams: words, videos, testimonials and surveys. A person on the team moderates what arrives; approval and consent make an item public.

- **Two planes.** \`/api/v1/\` is for a team's own programs and takes a credential. \`/api/public/v1/\` is for visitors' browsers and takes none: a public key identifies the project and never authorizes.
- **JSON** in snake_case. Instants are RFC 3339 in UTC with milliseconds. Ids are UUIDs that sort by time. What is absent is \`null\` in answers, never left out. Answers may gain fields, and events types: ignore those that you do not know. Requests are strict: an unknown field or query parameter is an error.
- **Paths** end in a slash; without it they are served too.
- **Lists** give \`results\` and \`next_cursor\`. A page may be short, even empty, while \`next_cursor\` goes on; only \`null\` ends a list.
- **Errors** always have \`detail\` for people, \`code\` for programs and a \`request_id\`; wrong fields stand in \`errors\`.
- **Repeating** a POST is safe with an \`Idempotency-Key\`. 429 and 503 say in \`Retry-After\` how long to wait.
- **Limits** are told in \`RateLimit\` and \`RateLimit-Policy\`, and in \`X-RateLimit-*\` for older clients.`
