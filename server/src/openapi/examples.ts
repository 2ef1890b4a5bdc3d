import recorded from './examples.json' with { type: 'json' }

/** Bodies of real responses by operationId, without their secrets; test/contract/examples.test.ts records them. */
const examples: ReadonlyMap<string, unknown> = new Map(Object.entries(recorded))

/** Returns the example of an operation's success, as a field of its media type; nothing for an operation without a body. */
export function exampleOf(operationId: string): { example?: unknown } {
  return examples.has(operationId) ? { example: examples.get(operationId) } : {}
}
