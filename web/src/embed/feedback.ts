import type { contracts } from '@earshot/contracts'

type Operations = (typeof contracts)['public']
type Widget = Operations['widgets']['retrieve']['output']['_output']
type ItemList = Operations['items']['list']['output']['_output']

/** An item as it is shown. Only widgets cut texts. */
export type Item = ItemList['results'][number] & { truncated?: boolean }
export type Video = NonNullable<Item['video']>

/** What the service answers, for a widget or for a project. */
export type Answer = Widget | ItemList

/** What is shown, wherever it comes from. */
export interface Feedback extends Partial<Pick<Widget, 'layout' | 'has_badge'>>, Pick<Widget, 'aggregate'> {
  items: Item[]
  /** A project has a colour alone. */
  theme?: Partial<Widget['theme']>
}

/** Why nothing can be shown: a status of HTTP, or 0, with a code of the service, `unreachable` or `failed`. */
export class FeedbackError extends Error {
  readonly status: number
  constructor(status: number, code: string) {
    super(code)
    this.status = status
  }
}

const TIMEOUT_MS = 15_000
/** Elements of one page that show the same share one request. */
const SHARED_MS = 5_000
const asked = new Map<string, Promise<unknown>>()

/** Reads from an operation of the service, without cookies. Throws `FeedbackError`. */
export function readFrom<Output>(address: string): Promise<Output> {
  const answer = asked.get(address) ?? read(address)
  asked.set(address, answer)
  setTimeout(() => asked.delete(address), SHARED_MS)
  return answer as Promise<Output> // As its contract says.
}

/** Brings both answers into one shape. */
export function feedbackOf(answer: Answer): Feedback {
  return 'items' in answer ? answer : { items: answer.results, aggregate: answer.aggregate }
}

async function read(address: string): Promise<unknown> {
  const response = await fetch(address, {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new FeedbackError(0, 'unreachable')
  })
  const body = await response.json().catch(() => ({}))
  if (!response.ok) throw new FeedbackError(response.status, body.code ?? 'unreachable')
  return body
}
