import { isWebAddress, make } from './dom.ts'
import type { Feedback } from './feedback.ts'
import { FeedbackElement, type Shown, type View } from './feedback-element.ts'
import { decimal, stars } from './stars.ts'
import { counted, type Words } from './words.ts'

/** `<earshot-badge>`: average, stars and count of a project. */
export class EarshotBadge extends FeedbackElement {
  protected override show(feedback: Feedback, view: View): Shown | null {
    return badgeOf(this, feedback, view)
  }
}

/** The badge of an element; it leads to the attribute `href`, if that is the address of a page. */
export function badgeOf(element: Element, { aggregate }: Feedback, { language, words }: View): Shown | null {
  const figures = summary(aggregate, language, words)
  if (!figures) return null
  const given = element.getAttribute('href')
  const href = given && new URL(given, document.baseURI).href
  return { nodes: [isWebAddress(href) ? make('a', 'badge', { href }, figures) : make('div', 'badge', {}, figures)] }
}

/** Average and count; null when nobody has said anything yet. */
export function summary({ count, average_rating }: Feedback['aggregate'], language: string, words: Words): HTMLElement | null {
  if (count === 0) return null
  const rating = average_rating
    ? [make('b', 'average', { ariaHidden: 'true' }, decimal(average_rating, language)), stars(average_rating, language)]
    : []
  return make('p', 'summary', {}, ...rating, make('span', 'count', {}, counted(words.from, count, language)))
}
