import type postgres from 'postgres'

/** Sends a prepared statement. The driver types neither the rows nor the parameters of a text; the caller's statement does. */
export function send(client: postgres.ISql, text: string, params: readonly unknown[]) {
  return client.unsafe(text, params as postgres.ParameterOrJSON<never>[], { prepare: true })
}
