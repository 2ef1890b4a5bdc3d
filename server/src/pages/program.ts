import bowser from 'bowser'

/** What a person knows a program by, such as "Firefox on Linux"; what is not a browser is named by what it sent. */
export function programName(userAgent: string | null): string {
  if (userAgent === null || userAgent.trim() === '') return 'Unknown program'
  const { browser, os } = bowser.parse(userAgent)
  if (!browser.name) return userAgent
  return os.name ? `${browser.name} on ${os.name}` : browser.name
}
