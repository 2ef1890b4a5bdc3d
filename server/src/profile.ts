import { toTimestamp, type UserRow } from '@earshot/db'

export function presentProfile(row: UserRow) {
  return {
    id: row.id,
    email: row.email,
    email_verified: row.email_verified_at !== null,
    name: row.name,
    avatar_url: row.avatar_url,
    locale: row.locale,
    timezone: row.timezone,
    mfa_enabled: row.mfa_enabled_at !== null,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
