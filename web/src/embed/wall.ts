import { badgeOf, summary } from './badge.ts'
import { serviceAddress } from './base.ts'
import { card } from './card.ts'
import { makeCarousel } from './carousel.ts'
import { make } from './dom.ts'
import type { Feedback } from './feedback.ts'
import { FeedbackElement, type Shown, type View } from './feedback-element.ts'
import { packWall } from './wall-layout.ts'

/** `<earshot-wall>`: what customers said, as a wall or a carousel. */
export class EarshotWall extends FeedbackElement {
  protected override show(feedback: Feedback, view: View): Shown | null {
    const { items, aggregate, has_badge } = feedback
    const layout = this.getAttribute('layout') ?? feedback.layout ?? 'wall'
    if (layout === 'badge') return badgeOf(this, feedback, view)
    if (items.length === 0) return null
    const { words, language } = view
    const cards = items.map((item) => card(item, view))
    const list = make('ul', `items ${layout}`, { role: 'list', ariaLabel: words.list }, ...cards)
    list.style.setProperty('--count', String(items.length))
    const { buttons = null, watch } = layout === 'carousel' ? makeCarousel(list, words) : { watch: () => packWall(list) }
    const home = serviceAddress(this, '.').href
    return {
      nodes: [
        make('div', 'top', {}, summary(aggregate, language, words), buttons),
        list,
        has_badge && make('p', 'by', {}, make('a', '', { href: home, rel: 'noopener', target: '_blank' }, words.by)),
      ],
      watch,
    }
  }
}
