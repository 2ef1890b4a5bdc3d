import { isWebAddress, make, said } from './dom.ts'
import type { Item } from './feedback.ts'
import type { View } from './feedback-element.ts'
import { film } from './film.ts'
import { hueOf } from './hue.ts'
import { stars } from './stars.ts'
import type { Words } from './words.ts'

/** One item of a wall or a carousel. */
export function card(item: Item, view: View): HTMLLIElement {
  const { author, video, rating, title, featured } = item
  const figure = make(
    'figure',
    '',
    {},
    rating && stars(rating, view.language),
    title && said('p', 'title', title),
    ...quoteOf(item, view.words),
    byline(author),
  )
  const node = make('li', featured ? 'card featured' : 'card', {}, video && film(item, video, view), figure)
  node.style.setProperty('--hue', String(hueOf(author.name)))
  return node
}

/** Shows the button of each long text that does not fit, and hides the others. */
export function offerMore(list: HTMLElement): void {
  for (const button of list.querySelectorAll<HTMLButtonElement>('.more')) {
    const quote = button.previousElementSibling
    if (quote?.matches('.clamped')) button.hidden = quote.scrollHeight <= quote.clientHeight + 1
  }
}

function quoteOf(item: Item, words: Words): HTMLElement[] {
  if (!item.body) return []
  const quote = said('blockquote', 'quote', ...marked(item), item.truncated && '…')
  const button = make('button', 'more', { type: 'button' })
  const set = (isOpen: boolean) => {
    quote.classList.toggle('clamped', !isOpen)
    button.ariaExpanded = String(isOpen)
    button.textContent = isOpen ? words.less : words.more
    button.ariaLabel = `${button.textContent}: ${item.author.name}`
  }
  button.onclick = () => set(button.ariaExpanded === 'false')
  set(false)
  return [quote, button]
}

/** The excerpt is a verbatim part of the words. It is marked where it stands. */
function marked({ body, excerpt }: Item): (string | Node)[] {
  const at = excerpt ? body.indexOf(excerpt) : -1
  if (!excerpt || at < 0) return [body]
  return [body.slice(0, at), make('mark', 'excerpt', {}, excerpt), body.slice(at + excerpt.length)]
}

function byline({ name, title, company, website_url, avatar_url }: Item['author']): HTMLElement {
  const about = [title, company].filter(Boolean).join(', ')
  const who = [said('b', 'name', name), about && said('span', 'about', about)]
  return make(
    'figcaption',
    'author',
    {},
    make(
      'span',
      'face',
      { ariaHidden: 'true' },
      initials(name),
      // The service's copy alone, over the initials, which stay where the page's policy blocks it.
      avatar_url?.includes('/media/v1/images/') &&
        make('img', '', { alt: '', loading: 'lazy', decoding: 'async', referrerPolicy: 'no-referrer', src: avatar_url }),
    ),
    isWebAddress(website_url)
      ? make('a', '', { href: website_url, rel: 'nofollow ugc noopener noreferrer', target: '_blank' }, ...who)
      : make('span', '', {}, ...who),
  )
}

/** The first letters of the first and the last word. */
function initials(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => /[\p{L}\p{N}]/u.exec(word) ?? [])
  return [...letters.slice(0, 1), ...letters.slice(1).slice(-1)].join('')
}
