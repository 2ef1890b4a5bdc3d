import type { Import } from '@earshot/contracts'
import { type ImportRow, inUtc, type NewSubmission, testimonialFields } from '@earshot/db'
import type { ImportedRecord } from './record.ts'

/** Returns the columns of a record of an import. */
export function fieldsOf({ consent_revoked_at, ...record }: ImportedRecord, row: Pick<ImportRow, 'consent' | 'mapping'>): NewSubmission {
  const fields = testimonialFields({ ...record, consent: consentOf(record, row) })
  return { ...fields, consent_revoked_at: inUtc(consent_revoked_at), channel: 'import' }
}

/** Presents a record as the preview of a dry run shows it. */
export function previewOf(record: ImportedRecord, row: Pick<ImportRow, 'consent' | 'mapping'>): NonNullable<Import['preview']>[number] {
  const { author, source, consent_revoked_at: revoked_at } = record
  const consent = consentOf(record, row)
  return {
    title: record.title ?? null,
    body: record.body,
    rating: record.rating ?? null,
    author: {
      name: author.name,
      email: author.email ?? null,
      title: author.title ?? null,
      company: author.company ?? null,
      avatar_url: author.avatar_url ?? null,
      website_url: author.website_url ?? null,
    },
    consent: { granted: consent.granted, text: consent.text ?? null, granted_at: consent.granted_at ?? null, revoked_at },
    source: { provider: source?.provider ?? null, url: source?.url ?? null, collected_at: source?.collected_at ?? null },
    language: record.language ?? null,
    tags: record.tags ?? [],
    external_id: record.external_id ?? null,
    metadata: record.metadata ?? {},
    featured: record.featured ?? false,
    excerpt: record.excerpt ?? null,
    position: record.position ?? null,
  }
}

/** The file's word on consent counts; without a column about it, that of the request. */
function consentOf(
  { consent }: Pick<ImportedRecord, 'consent'>,
  row: Pick<ImportRow, 'consent' | 'mapping'>,
): NonNullable<ImportedRecord['consent']> {
  const saysFile = Object.values(row.mapping).includes('consent.granted')
  return (saysFile ? consent : (row.consent ?? consent)) ?? { granted: false }
}
