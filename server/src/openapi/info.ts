interface InfoOptions {
  /** The service's URL, without a trailing slash. */
  baseUrl: string
}

/** Returns the description of the API, which is the guide for developers: Markdown, at the top of both reference pages. */
export function infoDescription({ baseUrl }: InfoOptions): string {
  return `Earshot collects feedback from visitors for teams: text, videos, testimonials and surveys. The team moderates submissions; an approved item with the visitor's consent is public.

## Get a token

Create a personal access token on the page [Personal access tokens](${baseUrl}/accounts/tokens/), choose its scopes, and keep its value (\`svc_…\`), which is shown once. The team needs a plan with API access (Pro or Business). Programs that act for other people use OAuth2, with the device flow or an authorization code and PKCE: see [Sign in from your program](${baseUrl}/docs/signing-in.md). A browser of a visitor needs no token: \`/api/public/v1/\` takes a public key, which identifies the project but grants no access.

## Make the first request

\`\`\`sh
export EARSHOT_URL=${baseUrl} EARSHOT_TOKEN=svc_…
curl -H "Authorization: Bearer $EARSHOT_TOKEN" "$EARSHOT_URL/api/v1/me/"
\`\`\`

The response names you and your teams. Ids of teams and projects are part of most paths. Requests and responses are JSON in snake_case; timestamps are RFC 3339 in UTC with milliseconds; ids are UUIDs that sort by creation time. Responses contain every field; an absent value is \`null\`. Requests are strict: an unknown field or query parameter is an error. Paths end in a slash; requests without it work too.

## Handle errors

An error has a \`detail\` for people, a \`code\` for programs and a \`request_id\`; \`errors\` lists the invalid fields. Each code has a page that says what to do, at \`/docs/errors/CODE\`: see [all codes](${baseUrl}/docs/errors/). After a 429 or 503, wait for the seconds in \`Retry-After\`. \`RateLimit\` and \`RateLimit-Policy\` report rate limits, and so do \`X-RateLimit-*\` for older clients.

## Read lists

A list returns \`results\` and \`next_cursor\`. Send the cursor back as \`cursor\` for the next page; \`limit\` is the size of a page. A page may be short or even empty: only a \`next_cursor\` of \`null\` ends a list. The clients walk all pages by themselves.

## Retry safely

Send an \`Idempotency-Key\` of your choice with a POST that lists this header, and repeat it as you like: for 24 hours the same key with the same input returns the first response again, with \`Idempotency-Replayed: true\`, and does nothing else. The few POSTs that do not list it, such as sign-ins, take effect each time.

## Rely on versions

The version is part of the path. Within \`v1\`, fields, event types and enum values may be added, and nothing is removed or renamed: ignore what you do not know. An \`operationId\` never changes. The header \`Earshot-Version\` is the version of the service itself.

## Receive webhooks

Create an endpoint with \`webhooks_create\`; the service then sends signed events to its \`url\`, at least once. Verify the signature over the raw body, with \`@earshot/client/webhooks\`, the Python or Go package, or your own code: see [Receive webhooks](${baseUrl}/docs/webhooks.md). Without a public address, follow \`events_stream\`.

## Use a client

An operation has the same name wherever it exists. Each operation below shows a call in every language that has it.

| client | how to start |
| --- | --- |
| [TypeScript](${baseUrl}/docs/client-typescript.md) | \`npm install @earshot/client\` |
| [Python](${baseUrl}/docs/client-python.md) | \`pip install earshot\` |
| [Go](${baseUrl}/docs/client-go.md) | a module over oapi-codegen |
| [Command line](${baseUrl}/docs/command-line.md) | \`npm install -g @earshot/cli\`, then \`earshot login\` |
| [MCP](${baseUrl}/docs/mcp.md) | tools for agents at \`${baseUrl}/mcp\` |
| [another language](${baseUrl}/docs/sdks.md) | generate one from [this document](${baseUrl}/api/schema/) |

More guides, for people and agents: [llms.txt](${baseUrl}/llms.txt).`
}
