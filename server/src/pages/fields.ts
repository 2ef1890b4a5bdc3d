import { ApiError, type FieldError } from '@earshot/contracts'
import { type Html, html } from './html.ts'

/** The invalid fields of a form that was sent; null when it was not sent yet. */
export type Problems = readonly FieldError[] | null

interface Field {
  label: string
  name: string
  type?: 'text' | 'email' | 'password'
  value?: string | undefined
  /** What a browser may fill in (HTML §4.10.18.7). */
  autocomplete: string
  hint?: string
  isFirst?: boolean
  problems: Problems
}

/** One field with its label, and its problems below. */
export function field({ label, name, type = 'text', value, autocomplete, hint, isFirst = false, problems }: Field): Html {
  const wrong = problems?.filter((problem) => problem.field === name) ?? []
  return html`<label>${label} <input type="${type}" name="${name}" value="${value}" autocomplete="${autocomplete}" spellcheck="false" required${isFirst && html` autofocus`}${wrong.length > 0 && html` aria-invalid="true"`}>${hint !== undefined && html`<small>${hint}</small>`}
${wrong.map(({ detail }) => html`<small class="bad">It ${detail}.</small>`)}</label>
`
}

/** The field for the password that a person chooses behind a link. */
export function newPasswordField({ label, problems }: Pick<Field, 'label' | 'problems'>): Html {
  const hint = 'At least 12 characters. A few unrelated words work well.'
  return field({ label, name: 'password', type: 'password', autocomplete: 'new-password', hint, isFirst: true, problems })
}

/** Returns the invalid fields that an operation reported. Throws every other error. */
export function problemsOf(error: unknown): readonly FieldError[] {
  if (error instanceof ApiError && ['validation_error', 'invalid_credentials'].includes(error.code)) return error.errors ?? []
  throw error
}

/** Returns 400 for a form that was refused. */
export function statusOf(problems: Problems): 200 | 400 {
  return problems === null ? 200 : 400
}
