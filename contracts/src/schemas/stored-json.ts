/**
 * Whether a value fits into so many bytes as JSON, with numbers as PostgreSQL keeps and writes them: without exponent, so that
 * 5e-324 takes 326 characters.
 */
export function fitsAsStoredJson(value: unknown, maxBytes: number): boolean {
  const text = JSON.stringify(value)
  // No character takes less than a byte, and no number less than in the text: a long text is not looked at more closely.
  if (text.length > maxBytes) return false
  // None takes more than three, and a number without exponent takes as many as in the text: nor is a short text.
  if (text.length <= maxBytes / 3 && !text.includes('e-')) return true
  let bytes = new TextEncoder().encode(text).length
  JSON.stringify(value, (_key, child: unknown) => {
    if (typeof child === 'number') bytes += writtenOutCharacters(child) - String(child).length
    return child
  })
  return bytes <= maxBytes
}

/** Whether text fits into so many bytes of UTF-8. */
export function fitsAsUtf8(text: string, maxBytes: number): boolean {
  // No unit takes more than three: a short text is not encoded.
  return text.length <= maxBytes / 3 || new TextEncoder().encode(text).length <= maxBytes
}

/** The length of a number without exponent. Beyond 2^53 none passes as input, so an exponent that is left is negative. */
function writtenOutCharacters(number: number): number {
  const [digits = '', exponent] = String(number).split('e-')
  return exponent === undefined ? digits.length : digits.replace('.', '').length + Number(exponent) + 1
}
