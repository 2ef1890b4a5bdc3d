/**
 * Returns the bytes of a value as JSON, with numbers as PostgreSQL keeps and writes them: without exponent, so that 5e-324
 * takes 326 characters.
 */
export function storedJsonBytes(value: unknown): number {
  let beyondText = 0
  const text = JSON.stringify(value, (_key, child: unknown) => {
    if (typeof child === 'number') beyondText += writtenOutCharacters(child) - String(child).length
    return child
  })
  return new TextEncoder().encode(text).length + beyondText
}

/** The length of a number without exponent. Beyond 2^53 none passes as input, so an exponent that is left is negative. */
function writtenOutCharacters(number: number): number {
  const [digits = '', exponent] = String(number).split('e-')
  return exponent === undefined ? digits.length : digits.replace('.', '').length + Number(exponent) + 1
}
