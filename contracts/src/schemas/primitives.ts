import { z } from 'zod'
import { sizes } from '../limits.ts'
import { fitsAsStoredJson } from './stored-json.ts'

// Spelled out, because the patterns appear in the OpenAPI document and every regular expression dialect reads \x00.
export const NUL = String.raw`\x00`
const BLANK = String.raw` \t\r\n${NUL}`
const WITHOUT_NUL = { pattern: new RegExp(`^[^${NUL}]*$`), problem: 'must not contain NUL characters' }
// Letters of any script, but no character that URL parsers normalize to a delimiter, and no user name.
const HOST = String.raw`(\[::1\]|[A-Za-z0-9\u00a1-\u1fff\u2c00-\u2fef\u3040-\u31ff\u3400-\ud7ff._-]+)(:\d{1,5})?`
const REST = `([/?#][^${BLANK}]*)?`
export const HTTP_URL = { pattern: new RegExp(`^https?:\\/\\/${HOST}${REST}$`), problem: 'must be an http or https URL' }
const HTTP_ORIGIN = { pattern: new RegExp(`^https?:\\/\\/${HOST}$`), problem: 'must be an origin, such as https://example.com' }
const ANY_HOST = { pattern: new RegExp(`^https?:\\/\\/[^${BLANK}/?#]+${REST}$`), problem: HTTP_URL.problem }

// RFC 5321 §4.5.3.1 limits the length of the parts. The domain is ASCII: other scripts in xn-- form, also in the last label.
const MAILBOX = {
  pattern:
    /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+.-]{0,63}[A-Za-z0-9_+-]@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+([A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9-]{0,58}[A-Za-z0-9])$/,
  problem: 'must be an e-mail address',
}

/** Code points of two units. */
const PAIRS = /[\u{10000}-\u{10ffff}]/gu

const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** A UUIDv7 in lower case, which sorts by time of creation. */
export const Id = z
  .uuid()
  .meta({ description: 'Identifier: a UUIDv7, which sorts by time of creation.', example: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01' })

/** Output only: an RFC 3339 timestamp in UTC with milliseconds, already formatted by the database. */
export function timestamp(description: string) {
  return z.string().meta({ description, format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
}

export const CreatedAt = timestamp('Time of creation.')
export const UpdatedAt = timestamp('Time of the last change.')

/** Input: an RFC 3339 timestamp with any offset. */
export function instant(description: string) {
  return z.iso
    .datetime({ offset: true })
    .refine(isOfOurEra, 'must be between the years 1 and 9999 (UTC)')
    .meta({ description, example: '2026-11-20T09:30:00.000Z' })
}

/**
 * Input text without NUL and lone surrogates, its length in Unicode code points, as JSON Schema counts. A pattern replaces the
 * default, because tools that generate examples follow only one pattern, so it must refuse NUL too.
 */
export function text(maxCharacters: number, minCharacters = 0, { pattern, problem } = WITHOUT_NUL) {
  return (
    z
      .string()
      // First, so that no pattern walks over a megabyte.
      .refine((value) => withinCharacters(value, minCharacters, maxCharacters), {
        error: `must be ${minCharacters} to ${maxCharacters} characters long`,
        abort: true,
      })
      .regex(pattern, problem)
      .refine((value) => value.isWellFormed(), 'must not contain lone surrogates')
      .meta({ maxLength: maxCharacters, ...(minCharacters > 0 && { minLength: minCharacters }) })
  )
}

export const Name = text(sizes.nameCharacters, 1)
export const Slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must contain only lower-case letters, digits and single dashes')
  .max(60)
  .meta({ description: 'Short name for URLs.', example: 'acme' })
export const Title = text(sizes.titleCharacters).meta({ example: 'A week saved' })
export const Body = text(sizes.bodyCharacters, 1).meta({ example: 'Saved us a week.' })
export const Reason = text(sizes.reasonCharacters).meta({ example: 'Kind words of a real customer' })
export const Tag = text(sizes.tagCharacters, 1).meta({ example: 'onboarding' })
export const Tags = z.array(Tag).max(sizes.tags).meta({ description: 'Tags. Duplicates are removed.' })
export const Search = text(sizes.searchCharacters, 1).meta({ example: 'onboarding' })
/** What holds for every search. */
export const SEARCHING = `Case, accents and the order of the words do not count. E-mail addresses are searched only with read:contacts. At most ${sizes.searchWords} different words. A team has at most two searches at once (429), each of at most 500 ms (503).`
export const HttpUrl = text(sizes.urlCharacters, 0, HTTP_URL).meta({ example: 'https://example.com' })
/** Input: the URL of a webhook receiver. Its host is checked at registration, with errors of its own. */
export const ReceiverUrl = text(sizes.urlCharacters, 0, ANY_HOST)
export const HttpOrigin = text(sizes.urlCharacters, 0, HTTP_ORIGIN).meta({ example: 'https://app.example.com' })
export const Color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #3366ff')
  .meta({ description: 'Accent colour.', example: '#3366ff' })
export const Rating = z.int().min(1).max(5).meta({ description: 'Stars, 1 to 5.', example: 5 })
export const Language = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$/, 'must be a BCP 47 language tag, such as en')
  .meta({ description: 'BCP 47 language tag.', example: 'en' })

export const TimeZone = text(64)
  .refine(isTimeZone, 'must be an IANA time zone, such as Europe/Berlin')
  .meta({ description: 'IANA time zone.', example: 'Europe/Berlin' })

const LOCAL_CHARACTERS = 64

/** Input: an e-mail address. */
export const EmailInput = z
  .string()
  .max(sizes.emailCharacters, { abort: true })
  .check(z.email())
  // RFC 5321 §4.5.3.1.1.
  .refine((address) => address.lastIndexOf('@') <= LOCAL_CHARACTERS, `must have at most ${LOCAL_CHARACTERS} characters before the @`)
  .meta({ description: 'E-mail address. Never public.', example: 'ada@example.com' })

/** Input: an e-mail address that the service sends mail to. */
export const MailboxInput = text(sizes.emailCharacters, 0, MAILBOX).meta({
  description: 'E-mail address. Case does not matter.',
  example: 'ada@example.com',
})

/** Input: a password as typed. Its strength is checked when it is chosen. */
export const PasswordInput = text(sizes.passwordCharacters, 1).meta({ description: 'Password.', example: 'correct horse battery staple' })

/** Input: a new password. Common passwords and those made of the person's name are refused later. */
export const NewPasswordInput = text(sizes.passwordCharacters, sizes.passwordCharactersMin).meta({
  description: `New password: at least ${sizes.passwordCharactersMin} characters, not a common password, and not made of your name or e-mail address.`,
  example: 'correct horse battery staple',
})

/** Input: a code of an authenticator app, or a recovery code; spaces and dashes are ignored. */
export const OtpInput = text(32, 1).meta({
  description: 'Code from the authenticator app, or a recovery code.',
  example: '123456',
})

/**
 * Output: fields with words of strangers, visitors as a rule, which surfaces for agents mark as data. Register a field last:
 * `meta`, `nullable` and the like make another schema.
 */
export const strangersWords = z.registry()

/** Output: of the fields with words of strangers, objects whose first `levels` of names are those of our own fields. All other names are of strangers. */
export const ownNames = z.registry<{ levels: number }>()

/**
 * Output: another person's e-mail address. The pipeline masks fields with this visibility: without the scope, and always for
 * viewers, the value is null on every surface.
 */
export const ContactEmail = z.string().nullable().meta({
  visibility: 'read:contacts',
  description: 'E-mail address. Null without the scope read:contacts, and for viewers.',
  example: 'ada@example.com',
})

/** A free JSON object of the caller. The body parser refuses NUL characters, and integers beyond 2^53. */
export const Metadata = z
  .record(text(200), z.unknown())
  .refine((value) => fitsAsStoredJson(value, sizes.metadataBytes), `must be at most ${sizes.metadataBytes} bytes of JSON`)
  .meta({ description: 'Your own JSON object, at most 16 KB.', example: { order: 'A-1001' } })

/** Query: values at keys of the metadata. */
export const MetadataFilter = z
  .record(text(200, 1), text(sizes.metadataValueCharacters))
  .refine((filter) => Object.keys(filter).length <= sizes.metadataFilters, `must have at most ${sizes.metadataFilters} keys`)
  .meta({ maxProperties: sizes.metadataFilters })

/** Input: any text passes here, because the list itself refuses a cursor that it has not given out, as `invalid_cursor`. */
export const Cursor = z.string().meta({ description: 'The `next_cursor` of the previous page.' })

/** Query fields of every list. */
export const Page = z.strictObject({
  cursor: Cursor.optional(),
  limit: z
    .int()
    .min(1)
    .max(sizes.pageItems)
    .default(sizes.pageItemsDefault)
    .meta({ description: 'Maximum number of results. A page can be shorter, even empty, before the last page.' }),
})

/** Query fields of what can be filtered by time. */
export const createdSpan = {
  created_after: instant('Only records created at or after this time.').optional(),
  created_before: instant('Only records created before this time.').optional(),
}

/** Query fields of lists that can be filtered by time. */
export const TimedPage = Page.extend(createdSpan)

/** The output of a list. Only `next_cursor: null` marks the last page. */
export function listOf<Item extends z.ZodType>(name: string, item: Item, { order = 'newest first' }: { order?: string } = {}) {
  return z
    .object({
      results: z.array(item),
      next_cursor: z.string().nullable().meta({ description: 'Pass it as `cursor` to get the next page. Null on the last page.' }),
    })
    .meta({ id: `${name}List`, description: `A page of ${name} records, ${order}.` })
}

/**
 * Checks the year: RFC 3339 has four digits for it, PostgreSQL has no year 0, and an offset can lead beyond both. Malformed
 * timestamps are refused earlier.
 */
function isOfOurEra(instant: string): boolean {
  const ms = Date.parse(instant)
  return !(ms < FIRST_INSTANT_MS || ms > LAST_INSTANT_MS)
}

/** Refuses offsets such as +02:00, which are not time zones: they have no daylight saving time. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Counts code points only if the length does not decide. */
function withinCharacters(value: string, min: number, max: number): boolean {
  if (value.length < min) return false
  if (value.length <= max && min <= 1) return true
  // A code point takes two units at most.
  if (value.length > 2 * max) return false
  // `Array.from` would take ten milliseconds for the keys of a megabyte.
  const length = value.length - (value.match(PAIRS)?.length ?? 0)
  return length >= min && length <= max
}
