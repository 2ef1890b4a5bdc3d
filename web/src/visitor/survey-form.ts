import type { DraftStore } from './draft.ts'
import { byId } from './elements.ts'
import { shownOf } from './survey-answers.ts'
import type { AskedQuestion, SurveyData } from './survey-data.ts'
import { listenToKeys } from './survey-keys.ts'
import { openSteps, type Steps } from './survey-steps.ts'

const OWN_FIELDS: readonly string[] = ['form_token', 'survey_version', 'started_at', 'website']
/** After a choice the next question comes by itself, once the choice was seen. */
const SEEN_MS = 300

interface SurveyForm {
  data: SurveyData
  /** The answers so far, and the question that is shown, under an empty name. */
  draft: DraftStore
  /** Sends the answers. Returns whether it was done. */
  send: (steps: Steps) => Promise<boolean>
}

/** Makes the form of a survey ask one question after the other. */
export function enhanceSurvey(form: HTMLFormElement, { data, draft, send }: SurveyForm): void {
  const save = () => draft.save({ ...valuesOf(form), '': steps.current()?.ref ?? '' })
  const steps = openSteps(form, data, () => save())
  let isSending = false
  form.noValidate = true

  const saved = draft.read()?.values ?? {}
  const { '': ref, ...values } = saved
  restore(form, values)
  const restored = byId('restored', HTMLElement)
  restored.hidden = Object.keys(values).length === 0
  byId('steps', HTMLElement).hidden = false
  byId('enter', HTMLElement).hidden = false
  steps.open(ref || data.questions[0]?.ref)

  const next = () => {
    if (isSending || steps.next()) return
    isSending = true
    void send(steps).then((isSent) => {
      if (isSent) {
        draft.clear()
        steps.end()
      } else isSending = false
    })
  }
  byId('start-over', HTMLButtonElement).addEventListener('click', () => {
    form.reset()
    draft.clear()
    restored.hidden = true
    steps.show(data.questions[0]?.ref)
  })
  form.addEventListener('input', () => {
    const question = steps.current()
    if (question) steps.say(question, null)
    steps.update()
    save()
  })
  listenToPointer(form, { questions: data.questions, current: steps.current, next })
  byId('back', HTMLButtonElement).addEventListener('click', steps.back)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    next()
  })
  listenToKeys(form, { current: steps.current, next })
}

/** Goes on after a choice, once for a question however often it is clicked. */
function listenToPointer(
  form: HTMLFormElement,
  { questions, current, next }: { questions: readonly AskedQuestion[]; current: Steps['current']; next: () => void },
): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  form.addEventListener('click', (event) => {
    const { target, detail } = event
    // The second half of a double click is for the question that was left.
    if (target === byId('send', HTMLButtonElement) && detail > 1) event.preventDefault()
    // A pointer alone: the arrows of a keyboard choose on the way to another option.
    const isChoice = target instanceof HTMLInputElement && target.type === 'radio' && detail > 0
    const asked = current()
    if (!isChoice || asked?.ref === shownOf(questions).shown.at(-1)?.ref) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (current()?.ref === asked?.ref) next()
    }, SEEN_MS)
  })
}

/** Shows what a respondent reads at the end, which the page has brought along. */
export function showThanks(): void {
  const copy = document.importNode(byId('receipt', HTMLTemplateElement).content, true)
  byId('main', HTMLElement).replaceChildren(copy)
  const thanks = byId('thanks', HTMLElement)
  document.title = thanks.querySelector('h1')?.textContent ?? document.title
  thanks.focus()
  scrollTo({ top: 0 })
}

function valuesOf(form: HTMLFormElement): Record<string, string> {
  const entries = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' && !OWN_FIELDS.includes(name) ? [[name, value] as const] : [],
  )
  return Object.fromEntries(entries)
}

/** Fills in answers that were given before. */
export function restore(form: HTMLFormElement, values: Record<string, string>): void {
  for (const input of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('.question :is(input, textarea)')) {
    const value = values[input.name]
    if (value === undefined) continue
    if (input instanceof HTMLInputElement && ['radio', 'checkbox'].includes(input.type)) input.checked = input.value === value
    else input.value = value
  }
}
