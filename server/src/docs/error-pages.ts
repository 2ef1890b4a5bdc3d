import { STATUS_CODES } from 'node:http'
import {
  ApiError,
  type ErrorCode,
  errorCodes,
  errorGuides,
  errorRow,
  listOperations,
  type NamedOperation,
  type OperationTree,
} from '@earshot/contracts'
import { errorCodesOf } from '../openapi/error-codes.ts'
import { tagOf } from '../openapi/tags.ts'
import { type Html, html } from '../pages/html.ts'

const REQUEST_ID = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01'

/** A page in both formats. */
export interface ErrorPage {
  title: string
  markdown: string
  body: Html
}

/** What a page says of an error, from the table of errors, its guide and the contracts. */
interface ErrorFacts {
  code: ErrorCode
  status: string
  meaning: string
  action: string
  /** A response body. */
  example: string
  /** The operations that return it. */
  operations: readonly { id: string; address: string }[]
  /** What returns it, instead of a list of operations. */
  returnedBy: string | null
}

/** Returns the page of every error code. */
export function errorPages(tree: OperationTree): ReadonlyMap<ErrorCode, ErrorPage> {
  const operations = listOperations(tree).map((named) => ({ named, codes: new Set(errorCodesOf(named.operation)) }))
  return new Map(
    errorCodes.map((code) => {
      const returning = operations.filter(({ codes }) => codes.has(code)).map(({ named }) => named)
      const facts = factsOf(code, returning, operations.length)
      return [code, { title: code, markdown: markdownOf(facts), body: htmlOf(facts) }]
    }),
  )
}

/** Returns the index of all error codes. */
export function errorIndex(): ErrorPage {
  const title = 'Errors'
  const rows = errorCodes.map((code) => ({ code, status: errorRow(code).status, detail: errorRow(code).detail }))
  const introduction = 'The body of every error has a `detail` for people, a `code` for programs and a `request_id`. Each code has a page.'
  const lines = rows.map(({ code, status, detail }) => `| ${status} | [\`${code}\`](/docs/errors/${code}.md) | ${detail} |`)
  return {
    title,
    markdown: `# ${title}\n\n${introduction}\n\n| status | code | meaning |\n| --- | --- | --- |\n${lines.join('\n')}\n`,
    body: html`<p>${withCode(introduction)}</p>
<ul>${rows.map(({ code, status, detail }) => html`<li>${status} <a href="/docs/errors/${code}"><code>${code}</code></a> <span class="soft">${detail}</span></li>\n`)}</ul>`,
  }
}

function factsOf(code: ErrorCode, returning: readonly NamedOperation[], all: number): ErrorFacts {
  const { status } = errorRow(code)
  const { meaning, action, fields, returnedBy = null } = errorGuides[code]
  const { detail, ...rest } = new ApiError(code).toBody(REQUEST_ID)
  const isEvery = returning.length === all
  return {
    code,
    status: `${status} ${STATUS_CODES[status] ?? ''}`.trim(),
    meaning,
    action,
    example: JSON.stringify({ detail, code: rest.code, ...fields, request_id: rest.request_id }, null, 2),
    operations: isEvery
      ? []
      : returning.map(({ name, operationId: id }) => ({ id, address: `/api/docs/#/${encodeURIComponent(tagOf(name))}/${id}` })),
    returnedBy: isEvery ? 'Every operation.' : returnedBy,
  }
}

function markdownOf({ code, status, meaning, action, example, operations, returnedBy }: ErrorFacts): string {
  const list = returnedBy ?? operations.map(({ id, address }) => `- [\`${id}\`](${address})`).join('\n')
  return `# ${code}

Status ${status}.

${meaning}

## What to do

${action}

## Example

\`\`\`json
${example}
\`\`\`

## Returned by

${list}

[All errors](/docs/errors/index.md)
`
}

function htmlOf({ status, meaning, action, example, operations, returnedBy }: ErrorFacts): Html {
  return html`<p class="soft">Status ${status}.</p>
<p>${withCode(meaning)}</p>
<h2>What to do</h2>
<p>${withCode(action)}</p>
<h2>Example</h2>
<pre><code>${example}</code></pre>
<h2>Returned by</h2>
${returnedBy === null ? html`<ul>${operations.map(({ id, address }) => html`<li><a href="${address}"><code>${id}</code></a></li>\n`)}</ul>` : html`<p>${returnedBy}</p>`}
<p><a href="/docs/errors/">All errors</a></p>`
}

/** Text with code in backticks, as HTML. */
function withCode(text: string): readonly Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}
