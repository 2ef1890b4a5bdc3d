import { byId } from './elements.ts'
import { isFramed } from './frame.ts'
import { fill, language } from './page-data.ts'
import { fieldsetOf, problemOf, shownOf } from './survey-answers.ts'
import type { AskedQuestion, SurveyData } from './survey-data.ts'
import { followingOf, isLast } from './survey-progress.ts'
import { openTrail, type Trail } from './survey-trail.ts'

/** One question at a time. */
export interface Steps {
  current: () => AskedQuestion | undefined
  /** Shows the question that a draft was left at, or the first. */
  open: (ref: string | undefined) => void
  /** Goes to a question. */
  show: (ref: string | undefined) => void
  /** Goes on if the answer is accepted. Returns false at the end. */
  next: () => boolean
  back: () => void
  /** Names the button by what it does, now that an answer has changed. */
  update: () => void
  say: (question: AskedQuestion, text: string | null) => void
  /** All was sent. */
  end: () => void
}

/** How a question comes to be shown: with the page, after another one, or on the way back. */
type Move = 'open' | 'forth' | 'back'

/** Shows one question of a form after the other, as the answers decide. */
export function openSteps(form: HTMLFormElement, data: SurveyData, onMove: () => void): Steps {
  return new OpenSteps(form, data, onMove)
}

class OpenSteps implements Steps {
  readonly #form: HTMLFormElement
  readonly #questions: readonly AskedQuestion[]
  readonly #texts: SurveyData['texts']['survey']
  readonly #onMove: () => void
  readonly #trail: Trail
  #ref: string | undefined

  constructor(form: HTMLFormElement, { questions, texts }: SurveyData, onMove: () => void) {
    this.#form = form
    this.#questions = questions
    this.#texts = texts.survey
    this.#onMove = onMove
    this.#trail = openTrail((ref, isBack) => this.#move(reachable(questions, ref), isBack ? 'back' : 'forth'))
  }

  current = () => this.#place().current

  open = (ref: string | undefined) => {
    this.#move(ref, 'open')
    this.#trail.note(this.#ref ?? '', false)
  }

  show = (ref: string | undefined) => {
    this.#move(ref, 'forth')
    this.#trail.note(this.#ref ?? '', true)
  }

  next = () => {
    const { shown, index, current } = this.#place()
    const problem = current ? problemOf(current) : null
    if (current) say(current, problem)
    if (current && problem !== null) {
      fieldsetOf(current)?.querySelector<HTMLElement>('input, textarea')?.focus()
      return true
    }
    const following = shown[index + 1]
    if (!following) return false
    this.show(following.ref)
    return true
  }

  back = () => {
    const { shown, index } = this.#place()
    if (this.#trail.back()) return
    this.#move(shown[index - 1]?.ref, 'back')
    this.#trail.note(this.#ref ?? '', false)
  }

  update = () => {
    const { current, answers } = this.#place()
    const isEnd = current === undefined || isLast({ questions: this.#questions, current, answers })
    byId('send', HTMLButtonElement).textContent = isEnd ? this.#texts.send : this.#texts.next
  }

  say = say

  end = () => this.#trail.end()

  #place() {
    const { shown, answers } = shownOf(this.#questions)
    const found = shown.findIndex(({ ref }) => ref === this.#ref)
    const index = Math.max(0, found)
    return { shown, answers, index, current: shown[index] }
  }

  #move(ref: string | undefined, kind: Move): void {
    this.#ref = ref
    const { current, answers, index } = this.#place()
    this.#ref = current?.ref
    this.#form.dataset.move = kind
    for (const each of this.#questions) {
      const fieldset = fieldsetOf(each)
      if (fieldset) fieldset.hidden = each !== current
    }
    byId('back', HTMLButtonElement).hidden = index === 0
    if (current) {
      describe(this.#texts, index, followingOf({ questions: this.#questions, current, answers }))
      nameKeys(this.#texts, current)
      focusOn(current, kind)
    }
    this.update()
    this.#onMove()
  }
}

/** The question itself, if it is shown and nothing before it is missing; else the closest one before. */
function reachable(questions: readonly AskedQuestion[], ref: string): string | undefined {
  const wanted = questions.findIndex((question) => question.ref === ref)
  const { shown } = shownOf(questions)
  const before = shown.filter((question) => questions.indexOf(question) <= wanted)
  return (before.find((question) => problemOf(question) !== null) ?? before.at(-1))?.ref
}

/** Says beside a question what is wrong with its answer. */
function say(question: AskedQuestion, text: string | null): void {
  const problem = byId(`q-${question.ref}-problem`, HTMLElement)
  problem.textContent = text
  const fieldset = fieldsetOf(question)
  if (text === null) fieldset?.removeAttribute('aria-describedby')
  else fieldset?.setAttribute('aria-describedby', problem.id)
  for (const input of fieldset?.querySelectorAll('input, textarea') ?? []) {
    if (text === null) input.removeAttribute('aria-invalid')
    else input.setAttribute('aria-invalid', 'true')
  }
}

/** Says how far it is. Where the answers decide what comes, that is the longest way. */
function describe(texts: SurveyData['texts']['survey'], index: number, { least, most }: { least: number; most: number }): void {
  const format = new Intl.NumberFormat(language)
  const count = index + 1 + most
  const text = least === most ? texts.progress : texts.progressUpTo
  byId('step', HTMLElement).textContent = fill(text, { number: format.format(index + 1), count: format.format(count) })
  const progress = byId('progress', HTMLProgressElement)
  progress.max = count
  progress.value = index
}

/** In a long text, Enter begins a new line. */
function nameKeys(texts: SurveyData['texts']['survey'], { type }: AskedQuestion): void {
  // As it stands on the key.
  const control = language.startsWith('de') ? 'Strg' : 'Ctrl'
  const key = /Mac|iP/.test(navigator.platform) ? '⌘' : control
  byId('enter', HTMLElement).textContent = type === 'long_text' ? fill(texts.enterLong, { key }) : texts.enter
}

/** A screen reader reads the question with its first input; a statement is read by itself. */
function focusOn(question: AskedQuestion, kind: Move): void {
  const fieldset = fieldsetOf(question)
  const isOpened = kind === 'open'
  // A frame must not take the focus from the page around it.
  if (isOpened && isFramed) return
  // Nor does a page that was only opened show the keyboard of a phone, or mark a choice that nobody has made yet.
  const isPlain = isOpened && (matchMedia('(pointer: coarse)').matches || fieldset?.querySelector('[type="radio"], [type="checkbox"]'))
  const input = isPlain ? null : fieldset?.querySelector<HTMLElement>('input:checked, input, textarea')
  ;(input ?? fieldset)?.focus({ preventScroll: true })
  if (!isOpened) fieldset?.querySelector('legend')?.scrollIntoView({ block: 'nearest' })
}
