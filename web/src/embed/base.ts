// A module has no current script; there the tag is looked for.
const script = document.currentScript ?? document.querySelector('script[src*="/embed.js"]')
const own = new URL(script?.getAttribute('src') ?? '', document.baseURI)

/** Returns an address of the service: of the one that the script came from, or of the attribute `base`. Its `*` is the id. */
export function serviceAddress(element: Element, path: string, id = ''): URL {
  return new URL(path.replace('*', encodeURIComponent(id)), element.getAttribute('base')?.replace(/\/*$/, '/') ?? own)
}

/** The public key of the element. React keeps `key` for itself, so there is another name. */
export function publicKeyOf(element: Element): string | null {
  return element.getAttribute('public-key') ?? element.getAttribute('key')
}
