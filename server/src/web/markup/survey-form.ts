import type { Question } from '@earshot/contracts'
import { type Html, html } from '../../pages/html.ts'
import { backLink } from './frame.ts'
import { questionOf } from './survey-question.ts'
import { fill, type Locale } from './texts.ts'

/** What the page of a survey is made from. */
export interface SurveyPage {
  locale: Locale
  survey: { language: string; version: number; questions: readonly Question[]; thank_you_text: string | null; form_token: string }
  project: { name: string; website_url: string | null }
  /** Where it is sent. */
  action: string
  /** What was answered before, and what is wrong with it by `ref`. */
  form: Readonly<Record<string, string | undefined>>
  problems: Readonly<Record<string, string>>
  /** When the survey was first shown, by the clock of the service. */
  startedAt: string
}

/** Renders all questions of a survey as one form. It works as it is; the script shows one question after the other. */
export function surveyForm(page: SurveyPage): Html {
  const { locale, survey, project, action, form, problems, startedAt } = page
  const { messages } = locale
  const questions = survey.questions.map((question) =>
    questionOf(question, { locale, form, problem: problems[question.ref], language: survey.language }),
  )
  return html`<form class="card survey" id="form" method="post" action="${action}" accept-charset="utf-8">
<h1 class="sr">${fill(messages.survey.title, { project: project.name })}</h1>
<div class="steps" id="steps" hidden><progress id="progress" max="1" value="0" aria-hidden="true"></progress><p id="step" role="status"></p></div>
<div class="summary" id="summary" role="alert" tabindex="-1">${problems[''] !== undefined && html`<p>${problems['']}</p>`}</div>
<div class="hint" id="restored" role="status" hidden><span>${messages.script.restored}</span> <button type="button" id="start-over">${messages.script.startOver}</button></div>
${questions}
<div class="trap" aria-hidden="true"><label for="website">${messages.form.trap}</label><input id="website" name="website" tabindex="-1" autocomplete="off"></div>
<input type="hidden" name="form_token" value="${survey.form_token}">
<input type="hidden" name="survey_version" value="${survey.version}">
<input type="hidden" name="started_at" value="${form.started_at ?? startedAt}">
<div class="moves"><button type="button" class="plain" id="back" hidden>${messages.survey.back}</button>
<button class="go" id="send">${messages.survey.send}</button></div>
<p class="fine" id="enter" hidden>${messages.survey.enter}</p>
<p class="fine" id="status" role="status"></p>
</form>
<template id="receipt">${surveyThanks(page)}</template>`
}

/** Renders what a respondent reads at the end. */
export function surveyThanks({ locale, survey, project }: Pick<SurveyPage, 'locale' | 'survey' | 'project'>): Html {
  const { receipt, survey: texts } = locale.messages
  return html`<section class="card thanks" id="thanks" tabindex="-1">
<div class="wave" aria-hidden="true"><i></i><i></i><i></i><i></i><i></i><i></i><i></i></div>
<h1>${receipt.title}</h1>
<p class="own" dir="auto">${survey.thank_you_text ?? texts.thanks}</p>
${backLink(locale, project.website_url)}
</section>`
}
