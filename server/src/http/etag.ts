import { createHash } from 'node:crypto'
import type { Operation } from '@earshot/contracts'

/** Returns a strong entity tag of the bytes (RFC 9110 §8.8.3). */
export function etagOf(body: string | Buffer): string {
  return `"${createHash('sha1').update(body).digest('base64url')}"`
}

/** Whether `If-None-Match` names the tag: a list of tags or *, compared weakly (RFC 9110 §13.1.2). */
export function matchesETag(header: string | undefined, etag: string): boolean {
  return namedTags(header).some((tag) => ['*', etag].includes(tag))
}

/** Returns the tags that `If-None-Match` names, for a weak comparison. */
export function namedTags(header: string | undefined): string[] {
  return (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
}

/** Whether responses of an operation have an entity tag: all reads but pages of lists, and every read of the public plane. */
export function hasETag({ method, access, input }: Operation): boolean {
  return method === 'GET' && (access === 'public' || !('cursor' in input.shape))
}
