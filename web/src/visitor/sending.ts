import { count, fill, type SendingTexts } from './page-data.ts'
import type { Answer, Failure } from './request.ts'

/** The service refuses what is sent within two seconds after the form was opened. */
const FORM_AGE_MS = 2_200
/** One window of the limit: longer waits are said, and left to the visitor. */
const LONGEST_WAIT_MS = 65_000
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 15_000
/** Of a service that responds with an error. Without any response, the form waits for as long as it takes. */
const MAX_SERVER_ERRORS = 4
const MINUTE_MS = 60_000

interface SendOptions<Output> {
  texts: SendingTexts
  project: string
  /** Says what happens meanwhile. */
  say: (text: string) => void
  /** Sends once. */
  send: (formToken: string) => Promise<Answer<Output>>
  /** Returns a new token, when the one of the page is too old. */
  renew: () => Promise<Answer<string>>
}

let formToken: { token: string; sinceMs: number } | undefined

/** Notes when the form was opened, by the clock that nobody can set. */
export function noteFormToken(token: string): void {
  formToken = { token, sinceMs: performance.now() }
}

/**
 * Sends until the service has it or refuses it: waits for the age of the form, for the connection, and for limits that are over within
 * about a minute. Resolves to the output, or to the failure.
 */
export async function sendPatiently<Output>({ texts, say, send, renew }: SendOptions<Output>): Promise<Answer<Output>> {
  let retryMs = FIRST_RETRY_MS
  let serverErrors = 0
  let renewals = 0
  for (;;) {
    say(texts.script.sending)
    const token = await readyToken()
    const answer = await send(token)
    if (!('failure' in answer)) return answer
    const { failure } = answer
    if (isFormToken(failure) && renewals === 0) {
      renewals += 1
      const renewed = await renew()
      if ('output' in renewed) noteFormToken(renewed.output)
    } else if (failure.status === 0) {
      say(navigator.onLine ? texts.script.retrying : texts.script.offline)
      await backOnline(retryMs)
    } else if (failure.status === 429 && failure.retryAfterMs !== null && failure.retryAfterMs <= LONGEST_WAIT_MS) {
      await countDown(failure.retryAfterMs, (time) => say(fill(texts.script.waiting, { time })))
    } else if ((failure.status >= 500 || failure.code === 'idempotency_in_progress') && serverErrors < MAX_SERVER_ERRORS) {
      serverErrors += 1
      say(texts.script.retrying)
      await wait(failure.retryAfterMs ?? retryMs)
    } else return answer
    retryMs = Math.min(MAX_RETRY_MS, retryMs * 2)
  }
}

/** Says why nothing was sent. */
export function failureText({ status, code, retryAfterMs }: Failure, { texts, project }: { texts: SendingTexts; project: string }): string {
  const { error } = texts
  if (status === 429) return count(error.limited, Math.ceil((retryAfterMs ?? MINUTE_MS) / MINUTE_MS))
  if (status === 402) return fill(error.quota, { project })
  if (status === 404) return error.gone
  if (status === 413) return error.tooLarge
  return code === 'validation_error' ? error.fields : error.unavailable
}

export function isFormToken({ errors }: Failure): boolean {
  return errors.some(({ field }) => field === 'form_token')
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function readyToken(): Promise<string> {
  const { token, sinceMs } = formToken ?? { token: '', sinceMs: 0 }
  await wait(Math.max(0, sinceMs + FORM_AGE_MS - performance.now()))
  return token
}

/** Waits for a while, or until the browser says that it is online. While it says that it is not, nothing is tried. */
async function backOnline(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = navigator.onLine ? setTimeout(done, ms) : undefined
    function done() {
      clearTimeout(timer)
      removeEventListener('online', done)
      resolve()
    }
    addEventListener('online', done)
  })
}

async function countDown(ms: number, show: (time: string) => void): Promise<void> {
  const untilMs = performance.now() + ms
  const format = new Intl.NumberFormat(document.documentElement.lang, { style: 'unit', unit: 'second', unitDisplay: 'long' })
  for (let leftMs = ms; leftMs > 0; leftMs = untilMs - performance.now()) {
    show(format.format(Math.ceil(leftMs / 1_000)))
    // Screen readers read every change aloud.
    await wait(Math.min(leftMs, 5_000))
  }
}
