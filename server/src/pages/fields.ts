import { ApiError, type FieldError } from '@earshot/contracts'
import { type Html, html } from './html.ts'

/** The invalid fields of a form that was sent; null when it was not sent yet. */
export type Problems = readonly FieldError[] | null

interface Named {
  label: string
  name: string
  /** Of the element, where a page has several forms with such a field; the name if absent. */
  id?: string
  hint?: string
  problems: Problems
}

interface Field extends Named {
  type?: 'text' | 'email' | 'password' | 'url'
  value?: string | undefined
  /** What a browser may fill in (HTML §4.10.18.7). */
  autocomplete: string
  isFirst?: boolean
  isOptional?: boolean
  /** Values that are offered, with their words; any other can be typed. */
  suggestions?: ReadonlyMap<string, string>
}

interface SelectField extends Named {
  /** The chosen value. One that is not offered is offered too. */
  value: string
  /** The words of each value that is offered. */
  choices: ReadonlyMap<string, string>
}

/** One field with its label, its hint, and its problems below. The first field that is invalid has the focus. */
export function field({ type = 'text', value, autocomplete, isFirst = false, isOptional = false, suggestions, ...named }: Field): Html {
  const isFocused = named.problems === null ? isFirst : isFirstProblem(named)
  return fieldOf(
    named,
    html`<input type="${type}" name="${named.name}" value="${value}" id="${idOf(named)}" autocomplete="${autocomplete}" spellcheck="false"${type === 'text' && html` dir="auto"`}${!isOptional && html` required`}${suggestions && html` list="${idOf(named)}-list"`}${isFocused && html` autofocus`}${describedBy(named)}>${
      suggestions &&
      html`
<datalist id="${idOf(named)}-list">${[...suggestions].map(([tag, words]) => html`<option value="${tag}" label="${words}">`)}</datalist>`
    }`,
  )
}

/** One field to choose from a list. */
export function selectField({ value, choices, ...named }: SelectField): Html {
  const offered = choices.has(value) ? choices : new Map([[value, value], ...choices])
  const options = [...offered].map(
    ([choice, words]) => html`<option value="${choice}"${choice === value && html` selected`}>${words}</option>\n`,
  )
  return fieldOf(
    named,
    html`<select name="${named.name}" id="${idOf(named)}"${isFirstProblem(named) && html` autofocus`}${describedBy(named)}>
${options}</select>`,
  )
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

function fieldOf(named: Named, input: Html): Html {
  const { label, hint } = named
  const id = idOf(named)
  const wrong = wrongOf(named)
  return html`<div class="field"><label for="${id}">${label}</label>
${input}${hint !== undefined && html`\n<small id="${id}-hint">${hint}</small>`}${
  wrong.length > 0 && html`\n<small id="${id}-problem" class="bad">${wrong.map(({ detail }) => `It ${detail}.`).join(' ')}</small>`
}</div>
`
}

/** Assistive technology reads the hint and the problems with the field. */
function describedBy(named: Named): Html | false {
  const isWrong = wrongOf(named).length > 0
  const id = idOf(named)
  const ids = [named.hint !== undefined && `${id}-hint`, isWrong && `${id}-problem`].filter((one) => one !== false)
  return ids.length > 0 && html`${isWrong && html` aria-invalid="true"`} aria-describedby="${ids.join(' ')}"`
}

function isFirstProblem({ name, problems }: Named): boolean {
  return problems?.[0]?.field === name
}

function wrongOf({ name, problems }: Named): readonly FieldError[] {
  return problems?.filter(({ field: wrong }) => wrong === name) ?? []
}

function idOf({ id, name }: Named): string {
  return id ?? name
}
