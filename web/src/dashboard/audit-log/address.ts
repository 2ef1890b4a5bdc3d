import { defined, textOf, timeOf } from '../webhooks/address.ts'

/** What the audit log shows, as it stands in the address. */
export interface AuditSearch {
  action?: string
  after?: string
  before?: string
}

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return defined({ action: textOf(search.action), after: timeOf(search.after), before: timeOf(search.before) })
}
