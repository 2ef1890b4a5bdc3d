import { isDeepStrictEqual } from 'node:util'

/** Fields whose values open something. */
const SECRETS = /^(token|secret|revoke_token|access|refresh|form_token|recovery_codes|otpauth_uri|otpauth_url|qr_code)$/
const HIDDEN = '…'
/** Made up for each run, and so not worth showing. */
const MADE_UP_NAME = /user-[0-9a-f]{12}/g
const SIGNATURE = /sig=[\w-]+/g
const MADE_UP_ADDRESS = /[0-9a-f]{8}-[0-9a-f-]{27}@example\.com/g

/** Whether `npm run examples` runs: examples that are missing, or have another shape, are written. */
export const isRecording = process.env.RECORD_EXAMPLES === '1'

/** Whether an example has the fields of what the service really sends, with values of the same types. */
export function isOfShape(shown: unknown, real: unknown): boolean {
  return shown !== undefined && isDeepStrictEqual(shapesIn(shown, real), shapesIn(real, shown))
}

/** Returns a body as the documents may show it. */
export function withoutSecrets(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replaceAll(MADE_UP_NAME, 'ada')
    .replaceAll(MADE_UP_ADDRESS, 'grace@example.com')
    .replaceAll(SIGNATURE, 'sig=…')
  return JSON.parse(text, (name, value) => (SECRETS.test(name) && value !== null ? hidden(value) : value))
}

function hidden(value: unknown): unknown {
  return Array.isArray(value) ? value.map(hidden) : HIDDEN
}

/** Returns the paths of a value's fields with their types; below what the other one lacks, as null or an empty list, there are none. */
export function shapesIn(value: unknown, other: unknown, path = ''): string[] {
  if (value === null || other === null) return [path]
  if (typeof value !== 'object' || typeof other !== 'object') return [`${path}: ${typeof value}`]
  if (Array.isArray(value)) {
    const [first, ofOther] = [value[0], Array.isArray(other) ? other[0] : undefined]
    return first === undefined || ofOther === undefined ? [path] : shapesIn(first, ofOther, `${path}[]`)
  }
  const fields = Object.entries(value).flatMap(([name, child]) =>
    shapesIn(child, (other as Record<string, unknown>)[name] ?? null, `${path}.${name}`),
  )
  return fields.sort()
}
