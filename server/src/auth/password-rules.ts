import { ApiError } from '@earshot/contracts'

/** Fewer different characters than this are a pattern, however long. */
const MIN_DIFFERENT_CHARACTERS = 5
const PRODUCT = 'earshot'

let commonPasswords: Promise<ReadonlySet<string>> | undefined

/** Where a password was chosen, and by whom. */
interface Choice {
  /** The field that holds it. */
  field: string
  /** What others know of the person: address and name. */
  own: readonly string[]
}

/**
 * A password that is chosen must be none that everybody tries first: a common one, the person's own name or address, each
 * also repeated or with digits and signs around it. Throws `validation_error` that names the field.
 */
export async function requireGoodPassword(password: string, { field, own }: Choice): Promise<void> {
  const problem = await problemOfPassword(password, own)
  if (problem) throw new ApiError('validation_error', { errors: [{ field, ...problem }] })
}

/** What is wrong with a password, null if nothing is; its length is its contract's to judge. */
export async function problemOfPassword(password: string, own: readonly string[]): Promise<{ code: string; detail: string } | null> {
  const forms = formsOf(password)
  const personal = new Set([PRODUCT, ...own].flatMap(ownWords))
  if (forms.some((form) => personal.has(form))) return { code: 'too_personal', detail: 'is made of your name or address' }
  commonPasswords ??= readCommonPasswords()
  const common = await commonPasswords
  if (new Set(password).size >= MIN_DIFFERENT_CHARACTERS && !forms.some((form) => common.has(form))) return null
  return { code: 'too_common', detail: 'is one that is tried first; add words of your own' }
}

/** Some 50,000 passwords; read when the first is chosen, because it takes a moment. */
async function readCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'])
}

/** A text as it is, and without what is put around and between its letters; of each what is repeated. */
function formsOf(text: string): string[] {
  const whole = text.normalize('NFKC').toLowerCase()
  const stem = whole.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return [whole, stem, squeezed(stem)].flatMap((form) => [form, repeatedPart(form)]).filter(Boolean)
}

/** A name or an address, whole and in its parts. */
function ownWords(text: string): string[] {
  const whole = text.normalize('NFKC').toLowerCase()
  const [local = ''] = whole.split('@', 1)
  return [whole, squeezed(whole), squeezed(local), ...whole.split(/[^\p{L}\p{N}]+/u)].filter(Boolean)
}

function squeezed(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '')
}

/** `abc` of `abcabcab`. */
function repeatedPart(text: string): string {
  const period = (text + text).indexOf(text, 1)
  return text.slice(0, period)
}
