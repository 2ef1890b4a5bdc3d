import type { importFields } from '@earshot/contracts/constants'
import type { api, Item } from '../api.ts'

export type Import = Item<typeof api.imports.list>

const PRESETS: Record<NonNullable<Import['preset']>, string> = {
  earshot: 'Earshot',
  senja: 'Senja',
  testimonial_to: 'Testimonial.to',
  google: 'Google',
  trustpilot: 'Trustpilot',
  typeform: 'Typeform',
  delighted: 'Delighted',
}

/** The name of the service that a file comes from. */
export function presetName(preset: NonNullable<Import['preset']>): string {
  return PRESETS[preset]
}

export const FIELD_LABELS: Record<(typeof importFields)[number], string> = {
  title: 'Title',
  body: 'Text',
  rating: 'Rating',
  'author.name': 'Author: name',
  'author.email': 'Author: e-mail',
  'author.title': 'Author: job title',
  'author.company': 'Author: company',
  'author.avatar_url': 'Author: picture address',
  'author.website_url': 'Author: website',
  'consent.granted': 'Consent: granted',
  'consent.text': 'Consent: text',
  'consent.granted_at': 'Consent: date',
  'consent.revoked_at': 'Consent: withdrawn on',
  'source.provider': 'Source: site',
  'source.url': 'Source: address',
  'source.collected_at': 'Source: date',
  language: 'Language',
  tags: 'Tags',
  external_id: 'Id of the record',
  metadata: 'All metadata (JSON)',
  featured: 'Featured',
  excerpt: 'Excerpt',
  position: 'Position',
}

/** What an import is doing, in a word or two, and how that looks. */
export function stateOf({ state, finished_at, dry_run }: Import): { text: string; look: 'good' | 'bad' | 'warn' | '' } {
  if (state === 'undone') return finished_at === null ? { text: 'Undoing', look: '' } : { text: 'Undone', look: '' }
  if (state === 'failed') return { text: 'Stopped', look: 'bad' }
  if (state === 'reserved') return { text: 'Waiting for the file', look: 'warn' }
  if (state === 'completed') return { text: dry_run ? 'Checked' : 'Completed', look: 'good' }
  return { text: dry_run ? 'Checking' : 'Running', look: '' }
}

/** Whether its figures still change. */
export function isMoving({ state, finished_at }: Import): boolean {
  return state === 'uploaded' || state === 'running' || (state === 'undone' && finished_at === null)
}

/** "1 row", "1,200 rows". */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
