import { createHash } from 'node:crypto'

/** Returns a strong entity tag of the bytes (RFC 9110 §8.8.3). */
export function etagOf(body: string | Buffer): string {
  return `"${createHash('sha1').update(body).digest('base64url')}"`
}

/** Whether `If-None-Match` names the tag: a list of tags or *, compared weakly (RFC 9110 §13.1.2). */
export function matchesETag(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}
