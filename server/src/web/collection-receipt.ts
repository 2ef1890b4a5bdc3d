import type { Form } from '../pages/form.ts'
import { type Html, html } from '../pages/html.ts'
import { backLink } from './markup/frame.ts'
import { fillHtml, type Locale } from './visitor-language.ts'
import type { PublicProject, Receipt } from './visitor-operations.ts'

interface ReceiptPage {
  locale: Locale
  project: PublicProject
  /** Returns the address that withdraws the consent; that of a blank has no token yet. */
  withdrawal: (token: string) => string
  /** Whether the page is shown inside another one, which a link must not replace. */
  isFramed: boolean
}

/** Renders the receipt of what was sent without script. */
export function receiptOf(page: ReceiptPage, form: Form, { revoke_token }: Receipt): Html {
  const { name = '', body = '', rating = '', job, company } = form
  const isPublic = form.consent === 'yes'
  return receipt(page, {
    name: html`<bdi>${name}</bdi>`,
    preview: isPublic && preview({ name, body, stars: Number(rating), place: [job, company].filter(Boolean).join(', ') }),
    isPublic,
    link: isPublic && revoke_token !== null ? page.withdrawal(revoke_token) : null,
    isRepeated: revoke_token === null,
  })
}

/** Renders the receipt without its content, for the script to fill in: it cannot make HTML from text (Trusted Types). */
export function blankReceipt(page: ReceiptPage): Html {
  const blank = {
    name: html`<bdi data-part="name"></bdi>`,
    preview: preview(null),
    isPublic: null,
    link: page.withdrawal(''),
    isRepeated: null,
  }
  return html`<template id="receipt">${receipt(page, blank)}</template>`
}

interface ReceiptParts {
  name: Html
  preview: Html | false
  /** Null for both: the script chooses. */
  isPublic: boolean | null
  /** Null without consent to withdraw, and when it was shown before. */
  link: string | null
  isRepeated: boolean | null
}

function receipt({ locale, project, isFramed }: ReceiptPage, { name, preview, isPublic, link, isRepeated }: ReceiptParts): Html {
  const { receipt: texts } = locale.messages
  const bold = { project: html`<b>${project.name}</b>` }
  return html`<section class="card thanks" id="thanks" tabindex="-1">
<div class="wave" aria-hidden="true"><i></i><i></i><i></i><i></i><i></i><i></i><i></i></div>
<h1>${fillHtml(texts.thanks, { name })}</h1>
${project.thank_you_text !== DEFAULT_THANKS && html`<p class="own" dir="auto">${project.thank_you_text}</p>`}
${isRepeated !== false && html`<p class="fine" data-part="repeated">${texts.repeated}</p>`}
${isPublic !== false && html`<p data-part="public">${fillHtml(texts.preview, bold)}</p>`}
${isPublic !== true && html`<p data-part="private">${fillHtml(texts.private, bold)}</p>`}
${preview}
${link !== null && html`<div class="keep" data-part="keep"><div><b>${texts.keep}</b><span>${texts.keepHint}</span> <a href="${link}" data-part="link"${isFramed && html` target="_blank" rel="noopener"`}>${texts.withdraw}</a></div><button type="button" data-part="copy" hidden>${texts.copy}</button></div>`}
${backLink(locale, project.website_url)}
</section>`
}

/** How it may look on the website. Without content it is a blank for the script. */
function preview(content: { name: string; body: string; stars: number; place: string } | null): Html {
  const { name = '', body = '', stars = 0, place = '' } = content ?? {}
  return html`<figure class="preview" data-part="preview">
${(content === null || stars > 0) && html`<div class="stars" data-part="stars" aria-hidden="true">${'★'.repeat(stars)}</div>`}
<blockquote dir="auto" data-part="body">${body}</blockquote>
<figcaption><b aria-hidden="true" data-part="initial">${[...name][0]}</b><span><bdi data-part="author">${name}</bdi><small dir="auto" data-part="place">${place}</small></span></figcaption>
</figure>`
}

/** What a project says until its team chooses other words. The heading says it in the visitor's language. */
const DEFAULT_THANKS = 'Thank you for your feedback!'
