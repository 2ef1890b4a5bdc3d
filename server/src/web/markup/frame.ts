import { type Html, html } from '../../pages/html.ts'
import { fill, fillHtml, type Locale } from './texts.ts'

/** Whose page it is. */
export interface Brand {
  name: string
  logoUrl: string | null
}

interface Frame {
  locale: Locale
  /** Null if nobody knows whose page it is. */
  project: Brand | null
  body: Html
  /** Leads to the page in other languages. */
  switcher: Html | false
}

/** Renders a page of visitors that stands alone: the project above, and below what it was made with. */
export function frameOf({ locale, project, body, switcher }: Frame): Html {
  return html`${project !== null && brandOf(project)}
${mainOf(body)}
<footer><p>${fillHtml(locale.messages.page.collectedWith, { service: html`<b>Earshot</b>` })}</p>${switcher}</footer>`
}

/** Renders what a page of visitors is there for, which is all of it inside another page. */
export function mainOf(body: Html): Html {
  return html`<main id="main">
${body}
</main>`
}

/** The mark is our copy of the logo, or the first letter. The address of the logo itself would tell another site who visits. */
function brandOf({ name, logoUrl }: { name: string; logoUrl: string | null }): Html {
  const mark =
    logoUrl === null
      ? html`<span class="mark" aria-hidden="true">${[...name][0]}</span>`
      : html`<img class="logo" src="${new URL(logoUrl).pathname}" alt="" decoding="async">`
  return html`<header class="brand">${mark}<bdi>${name}</bdi></header>`
}

/** Returns the link back to the project's website; false without one. */
export function backLink({ messages }: Locale, address: string | null): Html | false {
  const url = address === null ? null : URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return html`<a class="back" href="${url.href}" rel="noopener noreferrer" target="_top">${fill(messages.page.back, { site: url.host })}</a>`
}
