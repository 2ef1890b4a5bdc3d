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

/** What answers an error that no operation has. */
const ELSEWHERE = 'No operation of the reference: uploads by tus, and requests for other paths and methods.'
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
  /** The operations that answer it. */
  operations: readonly { id: string; address: string }[]
  /** What answers it instead of a list of operations. */
  answeredBy: string | null
}

/** Returns the page of every error code. */
export function errorPages(tree: OperationTree): ReadonlyMap<ErrorCode, ErrorPage> {
  const operations = listOperations(tree).map((named) => ({ named, codes: new Set(errorCodesOf(named.operation)) }))
  return new Map(
    errorCodes.map((code) => {
      const answering = operations.filter(({ codes }) => codes.has(code)).map(({ named }) => named)
      const facts = factsOf(code, answering, operations.length)
      return [code, { title: code, markdown: markdownOf(facts), body: htmlOf(facts) }]
    }),
  )
}

/** Returns the index of all error codes. */
export function errorIndex(): ErrorPage {
  const title = 'Errors'
  const rows = errorCodes.map((code) => ({ code, status: errorRow(code).status, detail: errorRow(code).detail }))
  const introduction = 'The body of every error has a `detail` for people, a `code` for programs and a `request_id`. Each code has a page.'
  const lines = rows.map(({ code, status, detail }) => `| ${status} | [\`${code}\`](${code}.md) | ${detail} |`)
  return {
    title,
    markdown: `# ${title}\n\n${introduction}\n\n| status | code | meaning |\n| --- | --- | --- |\n${lines.join('\n')}\n`,
    body: html`<p>${withCode(introduction)}</p>
<ul>${rows.map(({ code, status, detail }) => html`<li>${status} <a href="/docs/errors/${code}"><code>${code}</code></a> <span class="soft">${detail}</span></li>\n`)}</ul>`,
  }
}

function factsOf(code: ErrorCode, answering: readonly NamedOperation[], all: number): ErrorFacts {
  const { status } = errorRow(code)
  const { meaning, action, fields } = errorGuides[code]
  const { detail, ...rest } = new ApiError(code).toBody(REQUEST_ID)
  const isEvery = answering.length === all
  return {
    code,
    status: `${status} ${STATUS_CODES[status] ?? ''}`.trim(),
    meaning,
    action,
    example: JSON.stringify({ detail, code: rest.code, ...fields, request_id: rest.request_id }, null, 2),
    operations: isEvery
      ? []
      : answering.map(({ name, operationId: id }) => ({ id, address: `/api/docs/#/${encodeURIComponent(tagOf(name))}/${id}` })),
    answeredBy: isEvery ? 'Every operation.' : (answering.length === 0 && ELSEWHERE) || null,
  }
}

function markdownOf({ code, status, meaning, action, example, operations, answeredBy }: ErrorFacts): string {
  const list = answeredBy ?? operations.map(({ id, address }) => `- [\`${id}\`](${address})`).join('\n')
  return `# ${code}

Status ${status}.

${meaning}

## What to do

${action}

## Example

\`\`\`json
${example}
\`\`\`

## Answered by

${list}

[All errors](index.md)
`
}

function htmlOf({ status, meaning, action, example, operations, answeredBy }: ErrorFacts): Html {
  return html`<p class="soft">Status ${status}.</p>
<p>${withCode(meaning)}</p>
<h2>What to do</h2>
<p>${withCode(action)}</p>
<h2>Example</h2>
<pre><code>${example}</code></pre>
<h2>Answered by</h2>
${answeredBy === null ? html`<ul>${operations.map(({ id, address }) => html`<li><a href="${address}"><code>${id}</code></a></li>\n`)}</ul>` : html`<p>${answeredBy}</p>`}
<p><a href="/docs/errors/">All errors</a></p>`
}

/** Text with code in backticks, as HTML. */
function withCode(text: string): readonly Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}
