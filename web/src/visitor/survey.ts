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
import { enhanceSurvey, showThanks } from './survey-form.ts'
import type { Steps } from './survey-steps.ts'

const data = readPageData<SurveyData>()
const form = findById('form', HTMLFormElement)
reportSize()
void deleteOldRecordings()
if (form) {
  noteFormToken(fieldValue(form, 'form_token'))
  enhanceSurvey(form, {
    data,
    // One device, two people: each sees their own answers alone.
    draft: openDraft(`survey:${data.id}:${data.version}:${data.respondent?.external_id ?? ''}`),
    send: (steps) => send(form, steps),
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
  else {
    showThanks()
    tellParent({ type: 'earshot:sent' })
  }
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

async function newToken(): Promise<Answer<string>> {
  const answer = await sendRequest<{ form_token: string }>(`/api/public/v1/surveys/${data.id}/`, { method: 'GET' })
  return 'output' in answer ? { output: answer.output.form_token } : answer
}
