const MS = 1_000
const TIMEOUT_MS = 30_000

/** Why the service refused a request, or that it did not respond. */
export interface Failure {
  /** 0 without a response. */
  status: number
  code: string
  errors: { field: string; code: string }[]
  retryAfterMs: number | null
}

export type Answer<Output> = { output: Output } | { failure: Failure }

interface Sent {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  body?: object
  headers?: Record<string, string>
}

/** Returns an idempotency key. `crypto.randomUUID` is for secure pages alone. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Sends a request to the service, at the origin of the page, whatever name the service has elsewhere. Never throws. */
export async function sendRequest<Output>(path: string, { method, body, headers }: Sent): Promise<Answer<Output>> {
  try {
    const response = await fetch(path, {
      method,
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const content = text === '' ? {} : JSON.parse(text)
    if (response.ok) return { output: content }
    const wait = Number(response.headers.get('retry-after'))
    const { code = '', errors = [] } = content
    return { failure: { status: response.status, code, errors, retryAfterMs: wait > 0 ? wait * MS : null } }
  } catch {
    return { failure: { status: 0, code: '', errors: [], retryAfterMs: null } }
  }
}
