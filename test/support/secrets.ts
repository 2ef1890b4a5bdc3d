import { hash } from 'node:crypto'
import { MASKED_VALUE } from '@earshot/contracts'
import type { DatabaseAddress } from '@earshot/db'
import postgres from 'postgres'
import { PASSWORD } from './password.ts'

/** Shapes by which secrets of the service are recognized. */
const SHAPES = [
  /sv[acrs]_[0-9A-Za-z]{46}/,
  /(rvk|inv)_[0-9A-Za-z]{43}/,
  /whsec_[0-9A-Za-z+/]{43}=/,
  // A JSON Web Token: header and payload both begin with {".
  /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/,
]
/** Fields of requests and responses whose values only their receiver may keep. */
const SECRET_FIELDS =
  /^(password|new_password|otp|token|secret|access|refresh|access_token|refresh_token|revoke_token|device_code|recovery_codes|client_secret|otpauth_url)$/
const MIN_CHARACTERS = 8
/** A code of an authenticator app: digits by themselves, not a part of an instant, an id or a hash. */
const OTP = /^\d{6}$/

/** The secrets that a test file sent or received, to search for where none may be. */
export interface Secrets {
  /** Remembers the secrets in the JSON of a request or response, and cookies that were set. */
  note: (body: unknown, headers?: Headers) => void
  /** Returns the secrets in a text, shortened. */
  foundIn: (text: string) => string[]
}

export function createSecrets(): Secrets {
  /** Each secret with the forms in which it may not be stored: its bytes as hex, as a column of bytes is printed, … */
  const known = new Map<string, string[]>()
  const keep = (value: string) => known.has(value) || known.set(value, [value, Buffer.from(value).toString('hex')])
  // … and for a password, which can be guessed, its plain hash.
  const keepPassword = (value: string) => known.set(value, [value, Buffer.from(value).toString('hex'), ...plainHashes(value)])
  keepPassword(PASSWORD)
  const codes = new Set<string>()
  return {
    note(body, headers) {
      for (const value of secretValues(body)) {
        if (OTP.test(value)) codes.add(value)
        else if (value.length >= MIN_CHARACTERS) keep(value)
      }
      for (const value of passwordsIn(body)) keepPassword(value)
      for (const cookie of headers?.getSetCookie() ?? []) {
        const value = cookie.split(';', 1)[0]?.split('=')[1] ?? ''
        if (value.length >= MIN_CHARACTERS) keep(value)
      }
    },
    foundIn(text) {
      const shaped = SHAPES.flatMap((shape) => shape.exec(text)?.[0] ?? [])
      const exact = [...known].filter(([, forms]) => forms.some((form) => text.includes(form))).map(([value]) => value)
      const alone = [...codes].filter((code) => new RegExp(`(?<![\\w.:-])${code}(?!\\w)`).test(text))
      return [...new Set([...shaped, ...exact, ...alone])].map((value) => `${value.slice(0, 10)}…`)
    },
  }
}

function secretValues(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, value]) => {
    // Of a webhook endpoint.
    if (name === 'headers') return textsIn(value).filter((text) => text !== MASKED_VALUE)
    if (!SECRET_FIELDS.test(name)) return secretValues(value)
    return textsIn([value].flat())
  })
}

function textsIn(values: unknown): string[] {
  return Object.values(values ?? {}).filter((value) => typeof value === 'string')
}

function passwordsIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, value]) =>
    /password$/.test(name) && typeof value === 'string' ? [value] : passwordsIn(value),
  )
}

/** SHA-256 as hex, base64 and base64url. */
function plainHashes(value: string): string[] {
  return (['hex', 'base64', 'base64url'] as const).map((encoding) => hash('sha256', value, encoding))
}

/** Dumps every row of the service’s and the queue’s tables as text. */
export async function dumpDatabase(address: DatabaseAddress): Promise<string> {
  const sql = postgres({ ...address, max: 1, onnotice: () => {} })
  try {
    // A table without a byte on the disk has no row, which is most of them. Its file is asked: the size functions open each table.
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as name
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'graphile_worker') and c.relkind = 'r' and (pg_stat_file(pg_relation_filepath(c.oid))).size > 0`
    if (tables.length === 0) return ''
    const texts = tables.map(({ name }) => `select '${name}' as name, string_agg(t::text, E'\\n') as text from ${name} t`)
    const rows = await sql.unsafe<{ name: string; text: string | null }[]>(texts.join(' union all '))
    return rows.map(({ name, text }) => `${name}\n${text ?? ''}`).join('\n\n')
  } finally {
    await sql.end()
  }
}
