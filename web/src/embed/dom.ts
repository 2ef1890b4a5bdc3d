type Props<Tag extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[Tag], 'part' | 'style'>>
type Child = Node | string | null | undefined | false | 0

const SVG = 'http://www.w3.org/2000/svg'

/** Creates an element. Its names are classes for our styles, and parts for those of the page. Strings become text, never HTML. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  names = '',
  props: Props<Tag> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const node = Object.assign(document.createElement(tag), props)
  if (names) {
    node.className = names
    node.part.value = names
  }
  for (const child of children) if (child) node.append(child)
  return node
}

/** Words of a visitor, isolated: neither their direction nor their marks reach what stands beside them. */
export function said(tag: 'b' | 'blockquote' | 'p' | 'span', name: string, ...children: readonly Child[]): HTMLElement {
  return make<'b' | 'blockquote' | 'p' | 'span'>(tag, `${name} said`, { dir: 'auto' }, ...children)
}

/** Draws a path. A picture from a `data:` address would be blocked by a strict page. */
export function drawing(width: number, path: string): SVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  const shape = document.createElementNS(SVG, 'path')
  svg.setAttribute('viewBox', `0 0 ${width} 24`)
  svg.ariaHidden = 'true'
  shape.setAttribute('d', path)
  svg.append(shape)
  return svg
}

/** Whether an address leads to a web page, and not to a script. */
export function isWebAddress(address: string | null): address is string {
  return /^https?:/i.test(address ?? '')
}
