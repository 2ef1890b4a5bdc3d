import { ApiError } from '@earshot/contracts'

/** A password with fewer different characters is a pattern, however long it is. */
const MIN_DIFFERENT_CHARACTERS = 5
const PRODUCT = 'earshot'

let commonPasswords: Promise<ReadonlySet<string>> | undefined

/** The field of a new password, and its owner. */
interface Choice {
  /** The field that holds it. */
  field: string
  /** The person's e-mail address and name. */
  own: readonly string[]
}

/**
 * Refuses a new password that attackers try first: a common one, or the person's own name or address, also repeated or
 * surrounded by digits and punctuation. Throws `validation_error` that names the field.
 */
export async function requireGoodPassword(password: string, { field, own }: Choice): Promise<void> {
  const problem = await problemOfPassword(password, own)
  if (problem) throw new ApiError('validation_error', { errors: [{ field, ...problem }] })
}

/** Returns what is wrong with a password, null for a good one. The contract checks its length. */
export async function problemOfPassword(password: string, own: readonly string[]): Promise<{ code: string; detail: string } | null> {
  const forms = formsOf(password)
  const personal = new Set([PRODUCT, ...own].flatMap(ownWords))
  if (forms.some((form) => personal.has(form))) return { code: 'too_personal', detail: 'is too similar to your name or e-mail address' }
  commonPasswords ??= readCommonPasswords()
  const common = await commonPasswords
  if (new Set(password).size >= MIN_DIFFERENT_CHARACTERS && !forms.some((form) => common.has(form))) return null
  return { code: 'too_common', detail: 'is too common' }
}

/** Reads some 50,000 passwords, when the first is needed, because it takes a moment. */
async function readCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'])
}

/** Returns the text, its variants without the characters around and between its letters, and the repeated part of each. */
function formsOf(text: string): string[] {
  const whole = text.normalize('NFKC').toLowerCase()
  const stem = whole.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return [whole, stem, squeezed(stem)].flatMap((form) => [form, repeatedPart(form)]).filter(Boolean)
}

/** Returns a name or an address, and its parts. */
function ownWords(text: string): string[] {
  const whole = text.normalize('NFKC').toLowerCase()
  const [local = ''] = whole.split('@', 1)
  return [whole, squeezed(whole), squeezed(local), ...whole.split(/[^\p{L}\p{N}]+/u)].filter(Boolean)
}

function squeezed(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '')
}

/** Returns the repeated part of a text: `abc` of `abcabcab`. */
function repeatedPart(text: string): string {
  const period = (text + text).indexOf(text, 1)
  return text.slice(0, period)
}
