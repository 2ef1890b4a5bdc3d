const CREDENTIALS: Readonly<Record<string, string>> = {
  pat: 'access token',
  oauth2: 'authorized app',
  jwt: 'JWT',
  session: 'signed in',
  operator: 'administrator of this server',
  system: 'the service itself',
}

/** Which kind of credential was used, in words. */
export function credentialInWords(kind: string): string {
  return CREDENTIALS[kind] ?? kind
}

/** An action such as `webhook.secret_rotated` in words: "Webhook: secret rotated". */
export function actionInWords(action: string): string {
  const [noun = '', ...rest] = action.split('.')
  if (action === 'submission.pending') return 'Submission moved back to pending'
  const words = noun === 'mfa' ? 'two-factor authentication' : noun.replaceAll('_', ' ')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)} ${rest.join(' ').replaceAll('_', ' ')}`.trim()
}

/** One changed field, before and after, in words. */
export interface Change {
  field: string
  /** Null for a record that is new. */
  from: string | null
  to: string
}

/** The changes of an entry. A field that was emptied becomes "nothing". */
export function changesOf(changes: Readonly<Record<string, unknown>>): Change[] {
  return Object.entries(changes).map(([field, change]) => {
    const { from, to } = typeof change === 'object' && change !== null ? { from: null, to: null, ...change } : { from: null, to: change }
    return { field: field.replaceAll('_', ' '), from: isNothing(from) ? null : valueInWords(from), to: valueInWords(to) }
  })
}

function valueInWords(value: unknown): string {
  if (isNothing(value)) return 'nothing'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map(valueInWords).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === ''
}
