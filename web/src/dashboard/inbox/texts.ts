import type { Submission } from '../api.ts'

/** How a submission arrived, for people. */
export const channelText: Record<Submission['channel'], string> = {
  public: 'Collection page',
  api: 'API',
  mcp: 'Assistant',
  import: 'Import',
  dashboard: 'Dashboard',
}

export const kindText: Record<Submission['kind'], string> = { text: 'Text', video: 'Video', testimonial: 'Testimonial' }

export const stateText: Record<Submission['state'], string> = { pending: 'Pending', approved: 'Approved', rejected: 'Rejected' }

/** Made with its first use, as it takes milliseconds. */
let languages: Intl.DisplayNames | undefined

/** Returns the English name of a language tag, or the tag. */
export function languageName(tag: string): string {
  try {
    languages ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'code' })
    return languages.of(tag) ?? tag
  } catch {
    return tag
  }
}

/** Returns an address of another site if a browser may open it; null for `javascript:` and the like. */
export function safeAddress(address: string | null): string | null {
  const url = address === null ? null : URL.parse(address)
  return url && ['http:', 'https:'].includes(url.protocol) ? url.href : null
}
