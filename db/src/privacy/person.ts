import { domainToASCII, domainToUnicode } from 'node:url'
import { type SQL, sql } from 'drizzle-orm'
import type { Parameters } from '../sql/statement.ts'

/** What takes the place of an address in a record that stays. */
export const ERASED = '[erased]'

/** A person of a team, and what finds the person's address in texts. */
export interface Person {
  team_id: string
  /** The address in lower case, also with its domain in ASCII and in Unicode. */
  emails: string[]
  /** Patterns of `ilike` that every text with the address meets: quick, but other texts meet them too. */
  likes: string[]
  /** A regular expression, without case, that decides. Its only group is what stands before the address. */
  pattern: string
}

/** The values of a statement that looks for a person. */
export type PersonValues = Pick<Person, 'team_id' | 'emails' | 'likes' | 'pattern'>

/** Characters that a local part may begin with, but that far more often surround an address: quotes, dashes, emphasis. */
const EDGES = "['._-]*"
/** A character that is no part of an address, or the escape of one: of JSON, of URLs, or of bytes as PostgreSQL writes them. */
const BEFORE = `(^${EDGES}|[^a-z0-9.%+_'-]${EDGES}|\\\\{1,8}(?:[nrtbf]|u[0-9a-f]{4}|[0-7]{3})|%(?:25)*(?:0[0-9a-f]|2[0-9acf]|3[a-f]|40|5[bcd]|7[bcd]))`
/** No letter or digit follows, nor a further label of the domain. */
const AFTER = '(?![a-z0-9-]|\\.[a-z0-9])'

/** Returns what finds a person by the address, however a text spells it. */
export function personOf(team_id: string, email: string): Person {
  const emails = spellingsOf(email)
  return {
    team_id,
    emails,
    likes: [...new Set(emails.map((spelling) => `%${spelling.replace(/[^a-z0-9]+/g, '%')}%`.replace(/%+/g, '%')))],
    pattern: `${BEFORE}(?:${emails.map((spelling) => [...spelling].map(characterPattern).join('')).join('|')})${AFTER}`,
  }
}

/** The message of the MAC that stands for a person of a team: the same for every spelling of the address. */
export function personMessage(team_id: string, email: string): string {
  return JSON.stringify([team_id, spellingsOf(email).at(-1)])
}

/** Returns whether a text has the address. */
export function hasAddress({ likes, pattern }: Pick<Person, 'likes' | 'pattern'>, text: string): boolean {
  const lower = text.toLowerCase()
  return likes.some((like) => like.split('%').every((part) => lower.includes(part))) && new RegExp(pattern, 'iu').test(text)
}

/** The condition that a text may have the address. The collation is a third quicker, and the patterns are of ASCII alone. */
export function mayMention(text: SQL, p: Parameters<Pick<PersonValues, 'likes'>>): SQL {
  return sql`${text} collate "C" ilike any (${p.likes}::text[])`
}

/** The condition that a text has the address. `ilike` comes first: it is quicker by far, and few texts pass it. */
export function mentions(text: SQL, p: Parameters<Pick<PersonValues, 'likes' | 'pattern'>>): SQL {
  return sql`(${mayMention(text, p)} and ${text} ~* ${p.pattern}::text)`
}

/** A text with the address taken out. */
export function withoutAddress(text: SQL, p: Parameters<Pick<PersonValues, 'pattern'>>): SQL {
  return sql`regexp_replace(${text}, ${p.pattern}::text, ${sql.raw(`'\\1${ERASED}'`)}, 'gi')`
}

/** The address as given, with its domain in Unicode, and last with its domain in ASCII. */
function spellingsOf(email: string): string[] {
  const given = email.normalize('NFC').toLowerCase()
  const at = given.lastIndexOf('@')
  const [local, domain] = [given.slice(0, at), given.slice(at + 1)]
  // Both functions return '' for what is no domain.
  const spellings = [given, `${local}@${domainToUnicode(domain) || domain}`, `${local}@${domainToASCII(domain) || domain}`]
  return [...new Set(spellings.toReversed())].toReversed()
}

/** A pattern for a character: itself, or an escape of it in JSON, URLs, HTML or bytes as PostgreSQL writes them. */
function characterPattern(character: string): string {
  if (/[a-z0-9]/.test(character)) return character
  const spellings = [character, character.toUpperCase()].flatMap((cased) => [cased.normalize('NFC'), cased.normalize('NFD')])
  return `(?:${[...new Set(spellings.flatMap(escapesOf))].join('|')})`
}

function escapesOf(character: string): string[] {
  const units = Array.from({ length: character.length }, (_value, index) => character.charCodeAt(index))
  const bytes = [...Buffer.from(character)]
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  return [
    character.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&'),
    units.map((unit) => `\\\\{1,8}u${hex(unit, 4)}`).join(''),
    bytes.map((byte) => `%(?:25)*${hex(byte, 2)}`).join(''),
    [...character].map((point) => `&#(?:${point.codePointAt(0)}|x${hex(point.codePointAt(0) ?? 0, 2)});`).join(''),
    ...(character === '@' ? ['&commat;'] : []),
    ...(bytes.length > 1 ? [bytes.map((byte) => `\\\\{1,2}${byte.toString(8)}`).join('')] : []),
  ]
}
