/** One of twelve hues: the same on every page, which a test requires. */
export function hueOf(name: string): number {
  let sum = 7
  for (const letter of name.slice(0, 50)) sum = (sum * 31 + letter.charCodeAt(0)) % 12
  return sum * 30
}
