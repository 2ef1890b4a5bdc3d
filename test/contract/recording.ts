import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '@earshot/contracts'
import type { z } from 'zod'

/** Fields whose values open something. */
const SECRETS = /^(token|secret|revoke_token|access|refresh|form_token|recovery_codes|otpauth_uri|otpauth_url|qr_code)$/
/** What people type to sign in. In a request it is shown as the example of its contract. */
const TYPED_SECRETS = /^(password|new_password|otp|upload_token)$/
const HIDDEN = '…'
/** Made up for each run, and so not worth showing. */
const MADE_UP_NAME = /user-[0-9a-f]{12}/g
const SIGNATURE = /sig=[\w-]+/g
const MADE_UP_TAG = /\btag [0-9a-f]{8}\b/g
/** Of receivers of the tests. */
const LOCAL_ADDRESS = /http:\/\/127\.0\.0\.1:\d+(?:\/hooks)?/g
const MADE_UP_ADDRESS = /[0-9a-f]{8}-[0-9a-f-]{27}@example\.com/g

/** Whether `npm run examples` runs: examples that are missing, or have another shape, are written. */
export const isRecording = process.env.RECORD_EXAMPLES === '1'

/** Whether an example has the fields of what the service really sends, with values of the same types. */
export function isOfShape(shown: unknown, real: unknown): boolean {
  return shown !== undefined && isDeepStrictEqual(shapesIn(shown, real), shapesIn(real, shown))
}

/** Returns a body as the documents may show it. */
export function withoutSecrets(body: unknown): unknown {
  return JSON.parse(namesReplaced(body), (name, value) => (SECRETS.test(name) && value !== null ? hidden(value) : value))
}

/** Returns an input as the documents may show it: a secret is the example of its field. */
export function inputWithoutSecrets({ input: { shape } }: Operation, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = Object.entries(input).map(([name, value]) => {
    const isSecret = SECRETS.test(name) || TYPED_SECRETS.test(name)
    return [name, isSecret && typeof value === 'string' ? exampleOfField(shape[name] as z.ZodType) : value]
  })
  return JSON.parse(namesReplaced(Object.fromEntries(shown)))
}

function namesReplaced(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(MADE_UP_NAME, 'ada')
    .replaceAll(MADE_UP_TAG, 'onboarding')
    .replaceAll(MADE_UP_ADDRESS, 'grace@example.com')
    .replaceAll(SIGNATURE, 'sig=…')
    .replaceAll(LOCAL_ADDRESS, 'https://hooks.example.com/earshot')
}

function exampleOfField(field: z.ZodType): unknown {
  const { example } = field.meta() ?? {}
  return example ?? HIDDEN
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
