import '../styles/tokens.css'
import '../styles/visitor.css'
import '../styles/visitor-form.css'
import '../styles/visitor-rating.css'
import '../styles/visitor-receipt.css'
import '../styles/visitor-survey.css'
import { openDraft } from './draft.ts'
import { byId, findById } from './elements.ts'
import { fieldValue } from './form-fields.ts'
import { reportSize, tellParent } from './frame.ts'
import { deleteOldRecordings } from './old-recordings.ts'
import { readPageData } from './page-data.ts'
import { type Answer, type Failure, newKey, sendRequest } from './request.ts'
import { failureText, isFormToken, noteFormToken, sendPatiently } from './sending.ts'
import { shownOf, wordsOf } from './survey-answers.ts'
import type { SurveyData } from './survey-data.ts'
import { listenToKeys } from './survey-keys.ts'
import { openSteps, type Steps } from './survey-steps.ts'

const OWN_FIELDS: readonly string[] = ['form_token', 'survey_version', 'started_at', 'website']
/** After a choice the next question comes by itself, once the choice was seen. */
const SEEN_MS = 300

const data = readPageData<SurveyData>()
const form = findById('form', HTMLFormElement)
reportSize()
void deleteOldRecordings()
if (form) enhance(form)

function enhance(form: HTMLFormElement): void {
  // One device, two people: each sees their own answers alone.
  const draft = openDraft(`survey:${data.id}:${data.version}:${data.respondent?.external_id ?? ''}`)
  const save = () => draft.save({ ...valuesOf(form), '': steps.current()?.ref ?? '' })
  const steps = openSteps(form, data, () => save())
  let isSending = false
  form.noValidate = true
  noteFormToken(fieldValue(form, 'form_token'))

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
    void send(form, steps).then((isSent) => {
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
  listenToPointer(form, { current: steps.current, next })
  byId('back', HTMLButtonElement).addEventListener('click', steps.back)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    next()
  })
  listenToKeys(form, { current: steps.current, next })
}

/** Goes on after a choice, once for a question however often it is clicked. */
function listenToPointer(form: HTMLFormElement, { current, next }: { current: Steps['current']; next: () => void }): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  form.addEventListener('click', (event) => {
    const { target, detail } = event
    // The second half of a double click is for the question that was left.
    if (target === byId('send', HTMLButtonElement) && detail > 1) event.preventDefault()
    // A pointer alone: the arrows of a keyboard choose on the way to another option.
    const isChoice = target instanceof HTMLInputElement && target.type === 'radio' && detail > 0
    const asked = current()
    if (!isChoice || asked?.ref === shownOf(data.questions).shown.at(-1)?.ref) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (current()?.ref === asked?.ref) next()
    }, SEEN_MS)
  })
}

/** Returns whether it was sent. */
async function send(form: HTMLFormElement, steps: Steps): Promise<boolean> {
  const status = byId('status', HTMLElement)
  const button = byId('send', HTMLButtonElement)
  byId('summary', HTMLElement).replaceChildren()
  button.setAttribute('aria-disabled', 'true')
  const { answers } = shownOf(data.questions)
  const ids = new Map(data.questions.map(({ ref, id }) => [ref, id]))
  const body = {
    answers: Array.from(answers, ([ref, value]) => ({ question_id: ids.get(ref), value })),
    survey_version: data.version,
    language: data.language,
    hidden: data.hidden,
    ...(data.respondent && { respondent: data.respondent }),
    started_at: data.startedAt,
    website: fieldValue(form, 'website'),
  }
  const headers = { 'idempotency-key': newKey() }
  const answer = await sendPatiently<object>({
    ...data,
    say: (text) => {
      if (status.textContent !== text) status.textContent = text
    },
    renew: newToken,
    send: (form_token) =>
      sendRequest(`/api/public/v1/surveys/${data.id}/responses/`, { method: 'POST', body: { ...body, form_token }, headers }),
  })
  status.textContent = ''
  button.removeAttribute('aria-disabled')
  if ('failure' in answer) showFailure(answer.failure, steps)
  else showThanks()
  return !('failure' in answer)
}

function showFailure(failure: Failure, steps: Steps): void {
  const { survey, error } = data.texts
  const wrong = data.questions.flatMap((question) => {
    const found = failure.errors.find(({ field }) => field === `answers.${question.ref}`)
    return found ? [{ question, text: wordsOf(question, found.code) }] : []
  })
  const [first] = wrong
  if (first) {
    steps.show(first.question.ref)
    for (const { question, text } of wrong) steps.say(question, text)
    return
  }
  const ownTexts: Record<string, string> = { state_conflict: survey.closed, already_exists: survey.answered, quota_exceeded: survey.quota }
  const own = isFormToken(failure) ? error.formToken : ownTexts[failure.code]
  const line = document.createElement('p')
  line.textContent = own ?? (failure.code === 'validation_error' ? survey.changed : failureText(failure, data))
  const summary = byId('summary', HTMLElement)
  summary.replaceChildren(line)
  summary.focus()
}

function showThanks(): void {
  const copy = document.importNode(byId('receipt', HTMLTemplateElement).content, true)
  byId('main', HTMLElement).replaceChildren(copy)
  const thanks = byId('thanks', HTMLElement)
  document.title = thanks.querySelector('h1')?.textContent ?? document.title
  thanks.focus()
  scrollTo({ top: 0 })
  tellParent({ type: 'earshot:sent' })
}

async function newToken(): Promise<Answer<string>> {
  const answer = await sendRequest<{ form_token: string }>(`/api/public/v1/surveys/${data.id}/`, { method: 'GET' })
  return 'output' in answer ? { output: answer.output.form_token } : answer
}

function valuesOf(form: HTMLFormElement): Record<string, string> {
  const entries = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' && !OWN_FIELDS.includes(name) ? [[name, value] as const] : [],
  )
  return Object.fromEntries(entries)
}

function restore(form: HTMLFormElement, values: Record<string, string>): void {
  for (const input of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('.question :is(input, textarea)')) {
    const value = values[input.name]
    if (value === undefined) continue
    if (input instanceof HTMLInputElement && ['radio', 'checkbox'].includes(input.type)) input.checked = input.value === value
    else input.value = value
  }
}
