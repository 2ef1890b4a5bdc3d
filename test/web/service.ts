/** A request, as the service gets it. */
export interface SentRequest {
  /** The operation that answers it, as the test has named it; null when none does. */
  operation: string | null
  method: string
  /** Without the beginning that all have: `teams/…/submissions/moderate/`. */
  path: string
  query: Readonly<Record<string, string>>
  /** Read as JSON. */
  body: unknown
  bodyBytes: number
  /** Whether it outlives the page. */
  isKept: boolean
  signal: AbortSignal
}

/** The answer of an operation: an output, or a whole response. */
type Answer = (request: SentRequest) => unknown

const BEGINNING = '/api/v1/'

/** A service without a network: it keeps what it is sent, and answers by the end of the path, such as `GET submissions/{id}/`. */
export class FakeService {
  readonly requests: SentRequest[] = []
  readonly #answers = new Map<string, Answer>()

  /** Answers from now on. Of two names that fit, the one that was given last answers. */
  on(operation: string, answer: Answer): this {
    this.#answers.set(operation, answer)
    return this
  }

  /** The requests of an operation, oldest first. */
  sent(operation: string): SentRequest[] {
    return this.requests.filter((request) => request.operation === operation)
  }

  /** Answers the `fetch` of a tab. */
  async answer(input: string, init: RequestInit = {}, closed: AbortSignal = new AbortController().signal): Promise<Response> {
    const sent = readRequest(input, init)
    const [operation = null, answer] = [...this.#answers].findLast(([name]) => isOf(name, sent)) ?? []
    const request = { ...sent, operation }
    this.requests.push(request)
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => {})
    const end = () => ended.reject(closed.aborted ? new TypeError('The page was left') : request.signal.reason)
    for (const signal of [request.signal, ...(request.isKept ? [] : [closed])]) {
      if (signal.aborted) end()
      signal.addEventListener('abort', end)
    }
    if (!answer) return refusal(404, 'not_found', { detail: `Nothing answers ${request.method} ${request.path}` })
    const output = await Promise.race([Promise.resolve(answer(request)), ended.promise])
    return output instanceof Response ? output : Response.json(output ?? null)
  }
}

/** A refusal by the table of errors. */
export function refusal(status: number, code: string, fields: object = {}, headers: Record<string, string> = {}): Response {
  return Response.json({ code, detail: code, ...fields }, { status, headers })
}

/** Fails as `fetch` does without a connection. */
export function noConnection(): never {
  throw new TypeError('fetch failed')
}

/** An event stream that a test writes. */
export class FakeStream {
  #writer: ReadableStreamDefaultController<Uint8Array> | undefined

  /** Answers a request with this stream, from its beginning. */
  readonly open = ({ signal }: SentRequest): Response => {
    const body = new ReadableStream<Uint8Array>({
      start: (writer) => {
        this.#writer = writer
        signal.addEventListener('abort', () => writer.error(signal.reason))
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  ready(cursor: string): void {
    this.#write(`event: ready\nid: ${cursor}\ndata: {}\n\n`)
  }

  tell(cursor: string, data: object): void {
    this.#write(`event: change\nid: ${cursor}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Ends as a connection does that breaks. */
  end(): void {
    this.#writer?.close()
  }

  #write(text: string): void {
    this.#writer?.enqueue(new TextEncoder().encode(text))
  }
}

function readRequest(input: string, { method = 'GET', body, keepalive = false, signal }: RequestInit): Omit<SentRequest, 'operation'> {
  const { pathname, searchParams } = new URL(input)
  const text = typeof body === 'string' ? body : ''
  return {
    ...{ method, path: pathname.replace(BEGINNING, ''), query: Object.fromEntries(searchParams) },
    body: text === '' ? undefined : JSON.parse(text),
    bodyBytes: new TextEncoder().encode(text).length,
    isKept: keepalive,
    signal: signal ?? new AbortController().signal,
  }
}

function isOf(operation: string, { method, path }: Pick<SentRequest, 'method' | 'path'>): boolean {
  const [wanted, end = ''] = operation.split(' ')
  const pattern = end.replaceAll(/\{\w+\}/g, '[^/]+')
  return method === wanted && new RegExp(`(^|/)${pattern}$`).test(path)
}
