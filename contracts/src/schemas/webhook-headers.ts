import { z } from 'zod'
import { grouped, sizes } from '../limits.ts'

/** What the API shows instead of the value of a header. */
export const MASKED_VALUE = '********'

/** Headers that the service sets itself, or that are about the connection (RFC 9110 §7.6.1); in lower case. */
const RESERVED_NAMES = new Set([
  ...['date', 'expect', 'host', 'traceparent', 'tracestate', 'user-agent'],
  ...['connection', 'http2-settings', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
])
/** Content-… describes the body, which the service writes. */
const RESERVED_PREFIXES = ['content-', 'proxy-', 'webhook-', 'x-service-']

/** All headers removed and as many others set. */
const MAX_CHANGES = 2 * sizes.endpointHeaders

/** Whether the service alone may set a header of this name, in any case. */
export function isReservedHeader(name: string): boolean {
  const lowerCase = name.toLowerCase()
  return RESERVED_NAMES.has(lowerCase) || RESERVED_PREFIXES.some((prefix) => lowerCase.startsWith(prefix))
}

/** Returns what is wrong with all headers of an endpoint together, each fine by itself; null if nothing is. */
export function problemOfHeaders(headers: Readonly<Record<string, string>>): string | null {
  const entries = Object.entries(headers)
  if (entries.length > sizes.endpointHeaders) return `must be at most ${sizes.endpointHeaders} headers`
  // ASCII, so a character is a byte.
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return bytes > sizes.endpointHeaderBytes
    ? `must have at most ${grouped(sizes.endpointHeaderBytes)} bytes of names and values in all`
    : null
}

// RFC 9110 §5.6.2: a token.
const HeaderName = z
  .string()
  .max(sizes.headerNameCharacters, { abort: true })
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "must be a token: letters, digits and !#$%&'*+-.^_`|~")
  .refine((name) => !isReservedHeader(name), 'the service sets this header itself, or it is about the connection')

// RFC 9110 §5.5, without the bytes beyond ASCII that receivers read differently.
const HeaderValue = z
  .string()
  .min(1, { abort: true })
  .max(sizes.headerValueCharacters, { abort: true })
  .regex(
    /^[!-~]([ -~]*[!-~])?$/,
    'must be printable ASCII, without line breaks and other control characters, and without spaces at its ends',
  )
  .refine(
    (value) => value !== MASKED_VALUE,
    'must not be the mask that the API shows instead of the value: send the real value, or leave the header out to keep it',
  )

const description = `Headers of your own, which every delivery carries, such as \`Authorization\` for a receiver behind a gateway. At most ${sizes.endpointHeaders}, with ${grouped(sizes.endpointHeaderBytes)} bytes in all. Names compare without case. The headers of the service itself, such as \`Content-Type\` and \`X-Service-…\`, and those of the connection are refused.`
const example = { Authorization: 'Basic ZWFyc2hvdDpwYXNzd29yZA==' }

/** Input: the headers of a new endpoint. */
export const NewHeaders = z
  .record(HeaderName, HeaderValue)
  .superRefine(refuseRepeatedNames)
  .superRefine(refuseTooMuch)
  .meta({ maxProperties: sizes.endpointHeaders, description, example })

/** Input: a change of an endpoint's headers, as a JSON Merge Patch (RFC 7396). */
export const ChangedHeaders = z
  .record(HeaderName, HeaderValue.nullable())
  .superRefine(refuseRepeatedNames)
  .superRefine(refuseTooMuch)
  .meta({ maxProperties: MAX_CHANGES })
  .nullable()
  .meta({
    description: `${description} Headers that are not given stay as they are; null removes a header, or all of them. When \`url\` moves to another origin, give all headers again or remove them.`,
    example,
  })

/** Output: the names of an endpoint's headers; their values are never shown. */
export const MaskedHeaders = z.record(z.string(), z.string()).meta({
  description: `Headers of your own, which every delivery carries. The values are never shown: each is \`${MASKED_VALUE}\`.`,
  example: { Authorization: MASKED_VALUE },
})

function refuseRepeatedNames(headers: Readonly<Record<string, unknown>>, ctx: z.RefinementCtx): void {
  const seen = new Set<string>()
  for (const name of Object.keys(headers)) {
    const lowerCase = name.toLowerCase()
    if (seen.has(lowerCase)) ctx.addIssue({ code: 'custom', path: [name], message: 'must be given once: names compare without case' })
    seen.add(lowerCase)
  }
}

function refuseTooMuch(headers: Readonly<Record<string, string | null>>, ctx: z.RefinementCtx): void {
  const given = Object.entries(headers)
  const set = given.filter((entry): entry is [string, string] => entry[1] !== null)
  const problem = given.length > MAX_CHANGES ? `must name at most ${MAX_CHANGES} headers` : problemOfHeaders(Object.fromEntries(set))
  if (problem !== null) ctx.addIssue({ code: 'custom', message: problem })
}
