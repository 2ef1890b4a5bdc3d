import { frameOf } from '../../../server/src/web/markup/frame.ts'
import { surveyForm, surveyThanks } from '../../../server/src/web/markup/survey-form.ts'
import { scriptTexts } from '../../../server/src/web/markup/survey-script.ts'
import type { Locale } from '../../../server/src/web/markup/texts.ts'
import { byId } from '../visitor/elements.ts'
import { readPageData } from '../visitor/page-data.ts'
import { shownOf } from '../visitor/survey-answers.ts'
import type { AskedQuestion } from '../visitor/survey-data.ts'
import { enhanceSurvey, restore } from '../visitor/survey-form.ts'
import type { FromPreview, PreviewedSurvey, ToPreview } from './messages.ts'

// The page of a survey, made here from a draft by the functions that make it in the service, with the script that it has for visitors.

interface Policy {
  createHTML: (text: string) => string
}
// Proven: as Trusted Types define it. Browsers without it take strings.
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy: (name: string, rules: Policy) => Policy } }
const rules: Policy = { createHTML: (text) => text }
/** All values are escaped where the HTML is made. */
const policy = trustedTypes?.createPolicy('earshot-preview', rules) ?? rules

const locale = readPageData<Locale>()
/** As the service made it. Its links lead nowhere here. */
const languages = document.querySelector('.languages')
let known = ''
let shown: PreviewedSurvey | undefined
/** Answers, and the question that is shown under an empty name, as drafts of visitors have them. */
let values: Readonly<Record<string, string>> = {}
let isAtEnd = false

addEventListener('message', ({ data, origin, source }: MessageEvent<ToPreview>) => {
  if (source !== parent || origin !== location.origin) return
  if (data.type === 'earshot:restart') {
    values = {}
    isAtEnd = false
    render(true)
  } else if (data.type === 'earshot:survey') update(data)
})
// Links lead away from the preview, and the one at the end leads the whole window.
addEventListener('click', (event) => {
  if (event.target instanceof Element && event.target.closest('a')) event.preventDefault()
})
tell({ type: 'earshot:ready' })

function update(next: PreviewedSurvey): void {
  const { open, ...content } = next
  const text = JSON.stringify(content)
  const isElsewhere = open !== null && open !== shown?.open && (isAtEnd || open !== values[''])
  shown = next
  // Whatever was done in the preview stays as it is.
  if (text === known && !isElsewhere) return
  known = text
  if (isElsewhere) {
    isAtEnd = false
    values = { ...values, '': open }
  }
  render()
}

/** Makes the page anew. Where it opens then is news for the editor only after a move. */
function render(isMove = false): void {
  if (!shown) return
  const { survey, project } = shown
  const page = {
    locale,
    project,
    survey: { ...survey, version: 0, form_token: '' },
    ...{ action: '', form: {}, problems: {}, startedAt: '' },
  }
  const place = scrollY
  const body = isAtEnd ? surveyThanks(page) : surveyForm(page)
  document.body.innerHTML = policy.createHTML(frameOf({ locale, project, body, switcher: false }).text)
  if (languages) document.querySelector('footer')?.append(languages)
  if (project.color === null) document.documentElement.style.removeProperty('--brand')
  else document.documentElement.style.setProperty('--brand', project.color)
  if (isAtEnd) tell({ type: 'earshot:shown', ref: null, isSkipped: false, isMove })
  else ask(shown, isMove)
  scrollTo({ top: place })
}

function ask({ survey, project }: PreviewedSurvey, isOpenedByMove: boolean): void {
  const form = byId('form', HTMLFormElement)
  const { '': ref = '', ...answers } = values
  restore(form, answers)
  const { texts, questions } = scriptTexts(survey.questions, locale)
  const skipped = skippedOf(questions, ref)
  if (skipped) skipped.show_if = null
  const data = {
    ...{ id: '', version: 0, startedAt: '', hidden: {}, language: survey.language, project: project.name },
    ...{ questions, texts },
  }
  let isMove = isOpenedByMove
  enhanceSurvey(form, {
    data,
    draft: {
      // Nothing but the place: answers that were typed last time are offered with a note.
      read: () => ({ values: { '': ref }, savedMs: 0 }),
      save: (all) => {
        values = all
        const at = all[''] ?? null
        tell({ type: 'earshot:shown', ref: at, isSkipped: skipped !== undefined && at === skipped.ref, isMove })
      },
      clear: () => {},
    },
    // Nothing is sent.
    send: async () => {
      isAtEnd = true
      render()
      return true
    },
  })
  isMove = true
}

/** A question that is edited is shown even where the answers so far skip it. */
function skippedOf(questions: readonly AskedQuestion[], ref: string): AskedQuestion | undefined {
  const wanted = questions.find((question) => question.ref === ref)
  return wanted && !shownOf(questions).shown.includes(wanted) ? wanted : undefined
}

function tell(message: FromPreview): void {
  parent.postMessage(message, location.origin)
}
