import type { Channel } from '@earshot/contracts'
import type { InProject } from '../auth/callers.ts'

/** Derives the channel from the credential; the body cannot set it. */
export function channelOf({ credential, client }: InProject): Channel {
  if (credential.kind === 'session') return 'dashboard'
  return client === 'mcp' ? 'mcp' : 'api'
}
