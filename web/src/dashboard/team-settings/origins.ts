/** The origins of a text with one in each line. */
export function originsOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Says which line is no origin, or null. The service has the last word. */
export function originProblem(text: string): string | null {
  const wrong = originsOf(text).find((line) => !isOrigin(line))
  if (wrong === undefined) return null
  const origin = URL.canParse(wrong) ? new URL(wrong).origin : 'null'
  const help = origin === 'null' ? 'such as https://app.example.com' : `without a path: ${origin}`
  return `“${wrong.slice(0, 100)}” must be an origin, ${help}`
}

function isOrigin(line: string): boolean {
  return URL.canParse(line) && /^https?:\/\/[^/?#\s]+$/.test(line)
}
