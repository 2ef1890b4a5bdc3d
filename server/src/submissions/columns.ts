import type { Submission } from '@earshot/contracts'
import { type ListedSubmission, toTimestamp } from '@earshot/db'

/** Presents a submission as the API shows it. db/functions/submissions/submission.sql builds the same for events. */
export function presentSubmission(row: ListedSubmission): Submission {
  return {
    id: row.id,
    team_id: row.team_id,
    project_id: row.project_id,
    kind: row.kind,
    state: row.state,
    channel: row.channel,
    title: row.title,
    body: row.body,
    rating: row.rating,
    author: {
      name: row.author_name,
      email: row.author_email,
      title: row.author_title,
      company: row.author_company,
      avatar_url: row.author_avatar_url,
      website_url: row.author_website_url,
    },
    consent: presentConsent(row),
    source: { provider: row.source_provider, url: row.source_url, collected_at: toTimestamp(row.source_collected_at) },
    language: row.language,
    tags: row.tags,
    external_id: row.external_id,
    metadata: row.metadata,
    video_id: row.video_id,
    import_id: row.import_id,
    moderation: { by: row.moderated_by, at: toTimestamp(row.moderated_at), reason: row.moderation_reason },
    public: row.is_public,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}

/** Presents a submission of any kind with what the team adds to a testimonial. */
export function presentExported(row: ListedSubmission) {
  const { featured, excerpt, position } = row
  return { ...presentSubmission(row), featured, excerpt, position }
}

export function presentConsent(row: ListedSubmission) {
  return {
    granted: row.consent_granted,
    text: row.consent_text,
    granted_at: toTimestamp(row.consent_granted_at),
    revoked_at: toTimestamp(row.consent_revoked_at),
  }
}
