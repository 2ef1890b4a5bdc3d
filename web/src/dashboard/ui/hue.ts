const HUES = 12
const HUE_CHARACTERS = 50

/** As the elements and the page of a widget choose it. */
export function hueOf(name: string): number {
  let sum = 7
  for (const letter of name.slice(0, HUE_CHARACTERS)) sum = (sum * 31 + letter.charCodeAt(0)) % HUES
  return sum * (360 / HUES)
}
