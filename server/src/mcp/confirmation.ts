import {
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server'
import type { AuthorizedCall } from './exchange.ts'

const KEY = 'confirm'
const MAX_CHARACTERS = 500

/**
 * Asks the person before a call takes away what cannot be brought back, if the client can ask (MCP 2026-07-28, elicitation). Returns null
 * when the call may go on: it destroys nothing, the person agreed, or the client cannot ask and shows its own question for the hint.
 * Whatever else the person answers ends the call.
 */
export function askFirst(
  { tool, args }: AuthorizedCall,
  responses: Record<string, unknown> | undefined,
  capabilities: ClientCapabilities | undefined,
): CallToolResult | InputRequiredResult | null {
  if (!tool.isDestructive || !canAsk(capabilities)) return null
  const response = inputResponse(responses, KEY)
  if (response.kind === 'missing')
    return inputRequired({ inputRequests: { [KEY]: questionOf(tool.pipeline.named.operation.summary, args) } })
  if (response.kind === 'elicit' && response.action === 'accept' && response.content?.confirm === true) return null
  return {
    isError: true,
    content: [{ type: 'text', text: 'The person did not agree. Nothing was changed. Do not try again unless they ask for it.' }],
  }
}

function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation
  // Forms are what a client can show that names no mode.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

function questionOf(summary: string, args: Record<string, unknown>) {
  return inputRequired.elicit({
    message: `${summary}? This cannot be undone. ${JSON.stringify(args).slice(0, MAX_CHARACTERS)}`,
    requestedSchema: {
      type: 'object',
      properties: { [KEY]: { type: 'boolean', title: 'Yes, do it', default: false } },
      required: [KEY],
    },
  })
}
