import { drawing, make } from './dom.ts'

const STAR = 'l3 6.5 7.1.9-5.2 5 1.3 7.1-6.2-3.5-6.3 3.5 1.3-7.1-5.2-5 7.2-.9z'
const FIVE = [0, 26, 52, 78, 104].map((x) => `M${x + 12} 1.8${STAR}`).join('')

/** Five stars, filled as far as the rating goes. */
export function stars(rating: number, language: string): HTMLElement {
  const node = make('span', 'stars', { role: 'img', ariaLabel: `${decimal(rating, language)} / 5` }, drawing(128, FIVE), drawing(128, FIVE))
  node.style.setProperty('--share', `${rating * 20}%`)
  return node
}

/** Writes a rating with one decimal at most. */
export function decimal(value: number, language: string): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value)
}
