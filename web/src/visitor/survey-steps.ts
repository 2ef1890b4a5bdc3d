import { byId } from './elements.ts'
import { fill, language } from './page-data.ts'
import { fieldsetOf, problemOf, shownOf } from './survey-answers.ts'
import type { AskedQuestion, SurveyData } from './survey-data.ts'

/** One question at a time. */
export interface Steps {
  current: () => AskedQuestion | undefined
  /** Goes to a question, and focuses it unless the page has just been opened. */
  show: (ref: string | undefined, options?: { isFirst: boolean }) => void
  /** Goes on if the answer is accepted. Returns false at the end. */
  next: () => boolean
  back: () => void
  say: (question: AskedQuestion, text: string | null) => void
}

/** Shows one question of a form after the other, as the answers decide. */
export function openSteps({ questions, texts }: SurveyData, onMove: () => void): Steps {
  let currentRef: string | undefined
  const place = () => {
    const { shown } = shownOf(questions)
    const index = Math.max(
      0,
      shown.findIndex(({ ref }) => ref === currentRef),
    )
    return { shown, index }
  }

  function show(ref: string | undefined, { isFirst } = { isFirst: false }): void {
    currentRef = ref
    const { shown, index } = place()
    const question = shown[index]
    currentRef = question?.ref
    for (const each of questions) {
      const fieldset = fieldsetOf(each)
      if (fieldset) fieldset.hidden = each.ref !== currentRef
    }
    describe(texts.survey, shown.length, index)
    const fieldset = question && fieldsetOf(question)
    // A screen reader reads the question with its first input; a statement is read by itself.
    if (!isFirst) (fieldset?.querySelector<HTMLElement>('input:checked, input, textarea') ?? fieldset)?.focus()
    onMove()
  }

  return {
    say,
    show,
    current: () => {
      const { shown, index } = place()
      return shown[index]
    },
    next: () => {
      const { shown, index } = place()
      const question = shown[index]
      const problem = question ? problemOf(question) : null
      if (question) say(question, problem)
      if (problem !== null) {
        ;(question && fieldsetOf(question))?.querySelector<HTMLElement>('input, textarea')?.focus()
        return true
      }
      const following = shown[index + 1]
      if (!following) return false
      show(following.ref)
      return true
    },
    back: () => {
      const { shown, index } = place()
      show(shown[index - 1]?.ref)
    },
  }
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

function describe(texts: SurveyData['texts']['survey'], total: number, index: number): void {
  const format = new Intl.NumberFormat(language)
  byId('step', HTMLElement).textContent = fill(texts.progress, { number: format.format(index + 1), count: format.format(total) })
  const progress = byId('progress', HTMLProgressElement)
  progress.max = total
  progress.value = index
  byId('back', HTMLButtonElement).hidden = index === 0
  byId('send', HTMLButtonElement).textContent = index === total - 1 ? texts.send : texts.next
}
