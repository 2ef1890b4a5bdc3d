import recorded from './examples.json' with { type: 'json' }

/** A request that was sent and the response to it, without their secrets. */
interface Example {
  /** Path, query, header and body fields side by side. */
  input: Readonly<Record<string, unknown>>
  /** The body of the success; none for 204. Of a stream, its first message or lines as text. */
  response?: unknown
}

/** Examples by operationId; test/contract/examples.test.ts records them. */
const examples: ReadonlyMap<string, Example> = new Map(Object.entries(recorded))

/** Returns the input of an operation's example; nothing for an operation that is not of the service. */
export function exampleInputOf(operationId: string): Readonly<Record<string, unknown>> | undefined {
  return examples.get(operationId)?.input
}

/** Returns the example of an operation's success, as a field of its media type; nothing for an operation without a body. */
export function exampleOf(operationId: string): { example?: unknown } {
  const { response } = examples.get(operationId) ?? {}
  return response === undefined ? {} : { example: response }
}
