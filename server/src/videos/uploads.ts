import { type CaptionedVideo, toTimestamp } from '@earshot/db'

/** Where files are uploaded with a credential's reservation, and with a visitor's. */
export const UPLOADS = '/api/v1/uploads'
export const PUBLIC_UPLOADS = '/api/public/v1/uploads'

/** Returns where the file of a reserved video is uploaded. */
export function presentUpload(row: CaptionedVideo, address: string, token: string) {
  return { url: `${address}/${row.id}/`, token, expires_at: toTimestamp(row.upload_until), max_bytes: row.size_bytes ?? row.max_bytes }
}
