import { z } from 'zod'
import { sizes } from '../limits.ts'

// Spelled out, because the patterns stand in the document and every dialect of regular expressions reads \x00.
const NUL = String.raw`\x00`
const BLANK = String.raw` \t\r\n${NUL}`
const WITHOUT_NUL = { pattern: new RegExp(`^[^${NUL}]*$`), problem: 'must not contain NUL' }
// Letters of any script, but no sign that readers of addresses normalise into a delimiter; never a user name.
const HOST = String.raw`(\[::1\]|[A-Za-z0-9\u00a1-\u1fff\u2c00-\u2fef\u3040-\u31ff\u3400-\ud7ff._-]+)(:\d{1,5})?`
const REST = `([/?#][^${BLANK}]*)?`
const HTTP_URL = { pattern: new RegExp(`^https?:\\/\\/${HOST}${REST}$`), problem: 'must be an http or https address' }
const HTTP_ORIGIN = { pattern: new RegExp(`^https?:\\/\\/${HOST}$`), problem: 'must be an origin: scheme, host and port' }
const ANY_HOST = { pattern: new RegExp(`^https?:\\/\\/[^${BLANK}/?#]+${REST}$`), problem: HTTP_URL.problem }

// RFC 5321 §4.5.3.1 bounds its parts. The domain in ASCII: one of another script in its xn-- form, the last label too.
const MAILBOX = {
  pattern:
    /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+.-]{0,63}[A-Za-z0-9_+-]@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+([A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9-]{0,58}[A-Za-z0-9])$/,
  problem: 'must be an e-mail address',
}

const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** A UUIDv7 in lower case; sorts by time of creation. */
export const Id = z
  .uuid()
  .meta({ description: 'Identifier (UUIDv7, sorts by time of creation).', example: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01' })

/** Output only: an RFC 3339 instant in UTC with milliseconds. Never parsed again on the way out. */
export function timestamp(description: string) {
  return z.string().meta({ description, format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
}

export const CreatedAt = timestamp('When it was created.')
export const UpdatedAt = timestamp('When it last changed.')

/** Input: an RFC 3339 instant with any offset. */
export function instant(description: string) {
  return z.iso
    .datetime({ offset: true })
    .refine(isOfOurEra, 'must be in the years 1 to 9999 (UTC)')
    .meta({ description, example: '2026-11-20T09:30:00.000Z' })
}

/**
 * Input text without NUL and lone surrogates; lengths in Unicode code points, as JSON Schema counts. Another pattern
 * takes the place of the first, because tools that make examples can follow only one: it must refuse NUL too.
 */
export function text(maxCharacters: number, minCharacters = 0, { pattern, problem } = WITHOUT_NUL) {
  return z
    .string()
    .regex(pattern, problem)
    .refine((value) => value.isWellFormed(), 'must not contain lone surrogates')
    .refine((value) => withinCharacters(value, minCharacters, maxCharacters), `must have ${minCharacters} to ${maxCharacters} characters`)
    .meta({ maxLength: maxCharacters, ...(minCharacters > 0 && { minLength: minCharacters }) })
}

export const Name = text(sizes.nameCharacters, 1)
export const Slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single dashes')
  .max(60)
  .meta({ description: 'Short name for addresses.', example: 'acme' })
export const Title = text(sizes.titleCharacters).meta({ example: 'A week saved' })
export const Body = text(sizes.bodyCharacters, 1).meta({ example: 'Saved us a week.' })
export const Reason = text(sizes.reasonCharacters).meta({ example: 'Kind words of a real customer' })
export const Tag = text(sizes.tagCharacters, 1).meta({ example: 'onboarding' })
export const Tags = z.array(Tag).max(sizes.tags).meta({ description: 'Labels for filters; repeated ones are kept once.' })
export const HttpUrl = text(sizes.urlCharacters, 0, HTTP_URL).meta({ example: 'https://example.com' })
/** Its host is judged when it is registered, with reasons of its own. */
export const ReceiverUrl = text(sizes.urlCharacters, 0, ANY_HOST)
export const HttpOrigin = text(sizes.urlCharacters, 0, HTTP_ORIGIN).meta({ example: 'https://app.example.com' })
export const Rating = z.int().min(1).max(5).meta({ description: 'Stars, 1 to 5.', example: 5 })
export const Language = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$/, 'must be a BCP 47 language tag')
  .meta({ description: 'BCP 47 language tag.', example: 'en' })

export const TimeZone = text(64)
  .refine(isTimeZone, 'must be an IANA time zone')
  .meta({ description: 'IANA time zone.', example: 'Europe/Berlin' })

/** Input: an e-mail address. */
export const EmailInput = z
  .email()
  .max(sizes.emailCharacters)
  .meta({ description: 'E-mail address; never public.', example: 'ada@example.com' })

/** Input: an e-mail address that mail is sent to. */
export const MailboxInput = text(sizes.emailCharacters, 0, MAILBOX).meta({
  description: 'E-mail address; upper and lower case are the same.',
  example: 'ada@example.com',
})

/** Input: a password as it is typed; how good it is is judged where it is chosen. */
export const PasswordInput = text(sizes.passwordCharacters, 1).meta({ description: 'Password.', example: 'correct horse battery staple' })

/** Input: a password that is chosen. Beyond its length, common ones and those made of the own name are refused. */
export const NewPasswordInput = text(sizes.passwordCharacters, sizes.passwordCharactersMin).meta({
  description: 'New password of at least 12 characters; not a common one, nor made of your name or address.',
  example: 'correct horse battery staple',
})

/** Input: what an authenticator app shows, or a recovery code; blanks and dashes do not count. */
export const OtpInput = text(32, 1).meta({
  description: 'Code of the authenticator app, or a recovery code.',
  example: '123456',
})

/**
 * Output: another person's e-mail address. The mark is what the pipeline's masker reads: without the scope,
 * and for a viewer always, the value is null on every surface.
 */
export const ContactEmail = z.string().nullable().meta({
  visibility: 'read:contacts',
  description: 'E-mail address; null without the scope read:contacts, and for viewers.',
  example: 'ada@example.com',
})

/** What the reader of bodies lets through anywhere; said for the document, checked while the body is read. */
const JsonValue = z.unknown().meta({
  id: 'JsonValue',
  description: 'Any JSON without NUL, and without integers beyond 2^53.',
  anyOf: [
    { type: ['boolean', 'null'] },
    { type: 'number', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    { type: 'string', pattern: WITHOUT_NUL.pattern.source },
    { type: 'array', items: { $ref: '#/components/schemas/JsonValue' } },
    {
      type: 'object',
      propertyNames: { pattern: WITHOUT_NUL.pattern.source },
      additionalProperties: { $ref: '#/components/schemas/JsonValue' },
    },
  ],
})

/** Free JSON that belongs to the caller. */
export const Metadata = z
  .record(text(200), JsonValue)
  .refine((value) => withinBytes(JSON.stringify(value), sizes.metadataBytes), `must be at most ${sizes.metadataBytes} bytes of JSON`)
  .meta({ description: 'Your own JSON object, at most 16 KB.', example: { order: 'A-1001' } })

/** Input: any text passes here, because the list itself refuses a cursor that it has not given out, as `invalid_cursor`. */
export const Cursor = z.string().meta({ description: 'The `next_cursor` of the page before.' })

/** Query fields of every list. */
export const Page = z.strictObject({
  cursor: Cursor.optional(),
  limit: z
    .int()
    .min(1)
    .max(sizes.pageItems)
    .default(sizes.pageItemsDefault)
    .meta({ description: 'How many at most. A page may be shorter, even empty, while next_cursor goes on.' }),
})

/** Query fields of lists that can be cut by time. */
export const TimedPage = Page.extend({
  created_after: instant('Only what was created at or after this instant.').optional(),
  created_before: instant('Only what was created before this instant.').optional(),
})

/** The answer of a list. Only `next_cursor: null` ends it. */
export function listOf<Item extends z.ZodType>(name: string, item: Item) {
  return z
    .object({
      results: z.array(item),
      next_cursor: z.string().nullable().meta({ description: 'Pass it as `cursor` for the next page; null ends the list.' }),
    })
    .meta({ id: `${name}List`, description: `A page of ${name} records, newest first.` })
}

/** RFC 3339 has four digits for the year, and PostgreSQL no year 0; an offset may lead out of either end. What is no instant is refused already. */
function isOfOurEra(instant: string): boolean {
  const ms = Date.parse(instant)
  return !(ms < FIRST_INSTANT_MS || ms > LAST_INSTANT_MS)
}

/** Offsets such as +02:00 are no zones: they know no summer. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Counts bytes of UTF-8 only where the cheap bounds leave a doubt: a code unit takes one to three. */
function withinBytes(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return false
  return text.length * 3 <= maxBytes || new TextEncoder().encode(text).length <= maxBytes
}

/** Counts code points only where the cheap bounds leave a doubt. */
function withinCharacters(value: string, min: number, max: number): boolean {
  if (value.length < min) return false
  if (value.length <= max && min <= 1) return true
  const { length } = Array.from(value)
  return length >= min && length <= max
}
