import { fieldsetOf } from './survey-answers.ts'
import type { AskedQuestion } from './survey-data.ts'

/** How long a first digit may become the first of two. */
const SECOND_DIGIT_MS = 1_500

interface KeyOptions {
  current: () => AskedQuestion | undefined
  next: () => void
}

/** Chooses by letters and digits, and goes on by Enter, as people know it from forms that ask one question at a time. */
export function listenToKeys(form: HTMLFormElement, { current, next }: KeyOptions): void {
  let digits = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Where the key that is held was pressed. */
  let pressedAt: AskedQuestion | undefined
  keepFocus(form, current)
  // Of the form alone: a single key does nothing where something else, or nothing, has the focus (WCAG 2.1.4).
  form.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const question = current()
    if (!question || event.isComposing) return
    const isLongText = target instanceof HTMLTextAreaElement
    if (pressedAt !== question) digits = ''
    if (!event.repeat) pressedAt = question
    else if (key === 'Enter' && (!isLongText || pressedAt !== question)) {
      // A key that is held answers one question, and adds no lines to the next.
      event.preventDefault()
      return
    }
    if (key === 'Enter' && !(target instanceof HTMLButtonElement) && (!isLongText || ctrlKey || metaKey)) {
      event.preventDefault()
      next()
      return
    }
    if (event.repeat || ctrlKey || metaKey || altKey || isTyping(target)) return
    const inputs = [...(fieldsetOf(question)?.querySelectorAll<HTMLInputElement>('input[type="radio"], input[type="checkbox"]') ?? [])]
    if (/^\d$/.test(key)) {
      clearTimeout(timer)
      digits += key
      timer = setTimeout(() => (digits = ''), SECOND_DIGIT_MS)
      choose(inputs.find(({ value }) => value === digits) ?? inputs.find(({ value }) => value === key))
    } else if (/^[a-z]$/i.test(key)) {
      // A scale has digits alone.
      const index = key.toUpperCase().charCodeAt(0) - 'A'.charCodeAt(0)
      if (fieldsetOf(question)?.querySelector('.choices')) choose(inputs[index])
    }
  })
}

/** A click beside what can be focused leaves the question where it was: its keys go on. */
function keepFocus(form: HTMLFormElement, current: KeyOptions['current']): void {
  const keep = () => {
    // The preview of a survey makes a new form after each change.
    if (!form.isConnected) {
      document.removeEventListener('click', keep)
      return
    }
    const question = current()
    // Whoever marks words wants to copy them.
    const isMarking = getSelection()?.isCollapsed === false
    if (question && document.activeElement === document.body && !isMarking) fieldsetOf(question)?.focus({ preventScroll: true })
  }
  document.addEventListener('click', keep)
}

function choose(input: HTMLInputElement | undefined): void {
  input?.focus()
  input?.click()
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return true
  return target instanceof HTMLInputElement && !['radio', 'checkbox'].includes(target.type)
}
