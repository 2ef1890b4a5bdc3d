import type { contracts } from '@earshot/contracts'
import type { z } from 'zod'
import { type Html, html } from '../pages/html.ts'
import { counted, type WidgetWords } from './widget-words.ts'

export type Widget = z.output<typeof contracts.public.widgets.retrieve.output>
type Item = Widget['items'][number]

const STAR = 'l3 6.5 7.1.9-5.2 5 1.3 7.1-6.2-3.5-6.3 3.5 1.3-7.1-5.2-5 7.2-.9z'
const FIVE = [0, 26, 52, 78, 104].map((x) => `M${x + 12} 1.8${STAR}`).join('')
const STARS_WIDTH = 128
const BEST = 5
/** Colours of initials, which the style has by number. */
const HUES = 12
/** Of a name, for its hue. */
const HUE_CHARACTERS = 50

/** Average, stars and count; nothing while nobody has said anything. */
export function summaryOf({ count, average_rating }: Widget['aggregate'], words: WidgetWords): Html | null {
  if (count === 0) return null
  const rating =
    average_rating !== null && html`<b aria-hidden="true">${decimal(average_rating, words)}</b> ${starsOf(average_rating, words)} `
  return html`<p class="summary">${rating}<span class="count">${counted(words, count)}</span></p>`
}

/** An item as the elements show it, without script: the words of visitors are text, each in its own direction. */
export function cardOf(item: Item, words: WidgetWords): Html {
  const { title, rating, featured, author, video } = item
  return html`<li class="${featured ? 'card featured' : 'card'} hue-${hueOf(author.name)}">
${video && videoOf(video, author.name)}
<figure>
${rating !== null && starsOf(rating, words)}
${title && html`<p class="title said" dir="auto">${title}</p>`}
${item.body !== '' && html`<blockquote class="quote said" dir="auto">${marked(item)}${item.truncated && '…'}</blockquote>`}
${captionOf(author)}
</figure>
</li>
`
}

function starsOf(rating: number, words: WidgetWords): Html {
  const width = Math.round((rating / BEST) * STARS_WIDTH)
  return html`<span class="stars" role="img" aria-label="${decimal(rating, words)} / ${BEST}"><svg viewBox="0 0 ${STARS_WIDTH} 24" aria-hidden="true"><path d="${FIVE}"/></svg><svg viewBox="0 0 ${STARS_WIDTH} 24" aria-hidden="true"><svg width="${width}" height="24"><path d="${FIVE}"/></svg></svg></span>`
}

/** The excerpt is a verbatim part of the words. It is marked where it stands. */
function marked({ body, excerpt }: Item): Html {
  const at = excerpt ? body.indexOf(excerpt) : -1
  if (!excerpt || at < 0) return html`${body}`
  return html`${body.slice(0, at)}<mark>${excerpt}</mark>${body.slice(at + excerpt.length)}`
}

/** Nothing of the video is loaded before somebody plays it. */
function videoOf({ playback_url, poster_url, width, height, captions }: NonNullable<Item['video']>, label: string): Html {
  const tracks = captions.map(
    ({ language, label, url }) => html`<track kind="captions" srclang="${language}" label="${label}" src="${url}">`,
  )
  // Captions of another origin need it. Without captions, a store need not allow origins.
  const crossOrigin = tracks.length > 0 && html` crossorigin="anonymous"`
  return html`<video class="clip" controls playsinline preload="none" width="${width}" height="${height}" poster="${poster_url}" aria-label="${label}"${crossOrigin}><source src="${playback_url}" type="video/mp4">${tracks}</video>`
}

function captionOf({ name, title, company, website_url, avatar_url }: Item['author']): Html {
  const about = [title, company].filter(Boolean).join(', ')
  const who = html`<b class="name said" dir="auto">${name}</b>${about && html`<span class="about said" dir="auto">${about}</span>`}`
  const isPage = website_url !== null && /^https?:/i.test(website_url)
  // Over the initials, which show without it.
  const picture =
    avatar_url !== null && html`<img src="${pathOf(avatar_url)}" alt="" width="46" height="46" loading="lazy" decoding="async">`
  return html`<figcaption><span class="face" aria-hidden="true">${initials(name)}${picture}</span>${
    isPage ? html`<a href="${website_url}" rel="nofollow ugc noopener noreferrer" target="_blank">${who}</a>` : html`<span>${who}</span>`
  }</figcaption>`
}

/** The copy of an image at this service, under whatever name the page was reached. */
export function pathOf(address: string): string {
  return new URL(address).pathname
}

/** The first letters of the first and the last word. */
function initials(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => /[\p{L}\p{N}]/u.exec(word) ?? [])
  return [...letters.slice(0, 1), ...letters.slice(1).slice(-1)].join('')
}

/** The number of a hue, 30 degrees each: as the elements and the dashboard choose it. */
export function hueOf(name: string): number {
  let sum = 7
  for (const letter of name.slice(0, HUE_CHARACTERS)) sum = (sum * 31 + letter.charCodeAt(0)) % HUES
  return sum
}

function decimal(value: number, { language }: WidgetWords): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value)
}
