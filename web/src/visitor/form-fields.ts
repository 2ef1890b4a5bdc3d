import { byId } from './elements.ts'
import type { FieldTexts } from './page-data.ts'

/** Shows what is wrong with a form beside its fields, and moves to the first. */
export interface Problems {
  show: (errors: readonly { field: string; code: string }[], summary: string) => void
  /** Says something about the whole form. */
  say: (summary: string) => void
  clear: () => void
}

/** Opens the places for problems of a form whose fields are known by their path in the operation. */
export function openProblems(form: HTMLFormElement, fields: Readonly<Record<string, FieldTexts>>): Problems {
  const summary = byId('summary', HTMLElement)

  function mark(name: string, text: string | null): HTMLElement | null {
    const place = document.getElementById(`${name}-problem`)
    if (place) place.textContent = text
    const input = document.getElementById(name)
    if (!input) return place
    if (text === null) {
      input.removeAttribute('aria-invalid')
      input.removeAttribute('aria-describedby')
    } else {
      input.setAttribute('aria-invalid', 'true')
      input.setAttribute('aria-describedby', `${name}-problem`)
    }
    return input
  }

  function clear(): void {
    summary.replaceChildren()
    for (const { name } of Object.values(fields)) if (name !== '') mark(name, null)
  }

  function say(text: string): void {
    const line = document.createElement('p')
    line.textContent = text
    summary.replaceChildren(line)
  }

  // What is being corrected is not wrong any more, until it is sent again.
  form.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLElement && target.hasAttribute('aria-invalid')) mark(target.id, null)
  })
  return {
    clear,
    say: (text) => {
      say(text)
      summary.focus()
    },
    show: (errors, text) => {
      clear()
      say(text)
      const marked = errors.flatMap(({ field }) => {
        const texts = fields[field]
        if (!texts || texts.name === '') return []
        return mark(texts.name, wordsOf(texts, fieldValue(form, texts.name))) ?? []
      })
      const [first] = marked
      first?.closest('details')?.setAttribute('open', '')
      ;(first ?? summary).focus()
    },
  }
}

/** Returns the value of a field of a form, by the name of its input. */
export function fieldValue(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value : ''
}

function wordsOf({ empty, tooLong, invalid, maxCharacters }: FieldTexts, value: string): string {
  if (value.trim() === '') return empty
  return [...value].length > maxCharacters ? tooLong : invalid
}
