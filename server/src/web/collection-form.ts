import type { Form } from '../pages/form.ts'
import { type Html, html } from '../pages/html.ts'
import type { Problems } from './collection-input.ts'
import { blankReceipt } from './collection-receipt.ts'
import { fill, fillHtml, type Locale } from './visitor-language.ts'
import type { PublicProject } from './visitor-operations.ts'

const STAR = 'm12 1.8 3.1 6.6 7.2.9-5.3 5 1.4 7.1L12 17.9l-6.4 3.5L7 14.3 1.7 9.3l7.2-.9z'
const STARS = [1, 2, 3, 4, 5] as const
const PEN = 'm14.5 5.5 4 4L8 20H4v-4zM12.5 7.5l4 4'
const CAMERA =
  'M5.5 6h7.5a2.5 2.5 0 0 1 2.5 2.5v7a2.5 2.5 0 0 1-2.5 2.5H5.5A2.5 2.5 0 0 1 3 15.5v-7A2.5 2.5 0 0 1 5.5 6zM15.5 11l5-3.5v9l-5-3.5'

/** What the form of a project is made from. */
export interface FormPage {
  locale: Locale
  project: PublicProject
  /** Where it is sent. */
  action: string
  consentText: string
  /** What was typed before, and what is wrong with it. */
  form: Form
  problems: Problems
  videoTime: string
  /** For the receipt. */
  withdrawal: (token: string) => string
  isFramed: boolean
}

/** Renders the form. It works as it is; the script of the page makes more of it. */
export function collectionForm(page: FormPage): Html {
  const { locale, project, action, form, problems } = page
  const { messages } = locale
  const { collects, name } = project
  const isVideoOnly = collects.video && !collects.text
  return html`<form class="card write" id="form" method="post" action="${action}" accept-charset="utf-8">
<h1>${fillHtml(messages.form.heading, { project: name })}</h1>
<div class="summary" id="summary" role="alert" tabindex="-1">${problems[''] !== undefined && html`<p>${problems['']}</p>`}</div>
<div class="hint" id="restored" role="status" hidden><span>${messages.script.restored}</span> <button type="button" id="start-over">${messages.script.startOver}</button></div>
${collects.rating && ratingField(page)}
${collects.video && wayField(page, isVideoOnly)}
${isVideoOnly && html`<noscript><p class="summary">${messages.form.needsScript}</p></noscript>`}
<div class="field"><label for="body" id="body-label"><span>${isVideoOnly ? messages.form.bodyBeside : messages.form.body}</span></label>
<textarea id="body" name="body" rows="4" dir="auto" placeholder="${messages.form.bodyHint}"${!isVideoOnly && html` required`}${marked('body', problems)}>
${form.body}</textarea>
<p class="left" id="body-left" role="status"></p>${problemOf('body', problems)}</div>
<div class="pair">
${textField({ name: 'name', label: messages.form.name, attributes: html` autocomplete="name" required` }, page)}
${textField({ name: 'email', label: messages.form.email, note: messages.form.neverShown, attributes: html` type="email" inputmode="email" autocomplete="email" placeholder="you@example.com"` }, page)}
</div>
<details class="more"${['title', 'job', 'company'].some((field) => form[field] || problems[field]) && html` open`}>
<summary>${messages.form.more}</summary>
${textField({ name: 'title', label: messages.form.title }, page)}
<div class="pair">
${textField({ name: 'job', label: messages.form.job, attributes: html` autocomplete="organization-title"` }, page)}
${textField({ name: 'company', label: messages.form.company, attributes: html` autocomplete="organization"` }, page)}
</div>
</details>
<label class="tick"><input type="checkbox" name="consent" value="yes"${form.consent === 'yes' && html` checked`}><span><span dir="auto">${page.consentText}</span> <small>${messages.form.consentHint}</small> <strong id="agree-again" hidden>${messages.form.consentAgain}</strong></span></label>
<div class="trap" aria-hidden="true"><label for="website">${messages.form.trap}</label><input id="website" name="website" tabindex="-1" autocomplete="off"></div>
<input type="hidden" name="form_token" value="${project.form_token}">
<button class="go" id="send">${messages.form.send}</button>
<p class="fine" id="status" role="status"></p>
<p class="fine">${fillHtml(messages.form.review, { project: name })}</p>
</form>
${blankReceipt(page)}`
}

/** Stars are radio buttons: arrows move, and a screen reader says "4 of 5 stars". */
function ratingField({ locale, form, problems }: FormPage): Html {
  const { form: texts } = locale.messages
  const words = [texts.rating1, texts.rating2, texts.rating3, texts.rating4, texts.rating5]
  const stars = STARS.map(
    (star) =>
      html`<label><input type="radio" name="rating" value="${star}"${form.rating === String(star) && html` checked`}><span class="sr">${fill(texts.stars, { count: star, max: STARS.length })}</span><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${STAR}"/></svg></label>`,
  )
  const labels = words.map((word, index) => html`<span class="word-${index + 1}">${word}</span>`)
  return html`<fieldset class="rate"><legend class="sr">${texts.rating}</legend>
<div class="five">${stars}</div>
<p class="words"><span class="word-0">${texts.noRating}</span>${labels} <button type="button" id="remove-rating" hidden>${texts.removeRating}</button></p>
${problemOf('rating', problems)}
</fieldset>`
}

/** A video needs the script, which shows what is hidden here. */
function wayField({ locale, videoTime }: FormPage, isVideoOnly: boolean): Html {
  const { form, recorder } = locale.messages
  const choice = (value: string, label: string, path: string) =>
    html`<label><input type="radio" name="way" value="${value}"${value === 'write' && html` checked`} form="none"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>${label}</label>`
  const ways = html`<fieldset class="mode" id="way" hidden><legend class="sr">${form.way}</legend>${choice('write', form.write, PEN)}${choice('film', form.film, CAMERA)}</fieldset>`
  return html`${!isVideoOnly && ways}
<div class="film" id="film" hidden>
<button type="button" class="camera" id="open-camera"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${CAMERA}"/></svg>${recorder.open}</button>
<p class="fine">${fill(recorder.hint, { time: videoTime })}</p>
<label class="file"><input type="file" id="video-file" accept="video/*" form="none"><span>${recorder.choose}</span></label>
</div>
<p class="problem" id="film-problem" role="alert"></p>`
}

function textField(
  { name, label, note = '', attributes }: { name: string; label: string; note?: string; attributes?: Html },
  { form, problems }: FormPage,
): Html {
  return html`<div class="field"><label for="${name}"><span>${label}</span>${note !== '' && html` <small>${note}</small>`}</label>
<input id="${name}" name="${name}" value="${form[name]}" dir="auto"${attributes}${marked(name, problems)}>${problemOf(name, problems)}</div>`
}

function marked(name: string, problems: Problems): Html | false {
  return problems[name] !== undefined && html` aria-invalid="true" aria-describedby="${name}-problem"`
}

function problemOf(name: string, problems: Problems): Html {
  return html`<p class="problem" id="${name}-problem">${problems[name]}</p>`
}
