-- A submission as the API shows it (contracts/src/schemas/submission.ts); a test holds the two equal.
create or replace function submission_payload(s submissions) returns json
language sql stable as $$
  select json_build_object(
    'id', s.id,
    'team_id', s.team_id,
    'project_id', s.project_id,
    'kind', s.kind,
    'state', s.state,
    'channel', s.channel,
    'title', s.title,
    'body', s.body,
    'rating', s.rating,
    'author', json_build_object(
      'name', s.author_name,
      'email', s.author_email,
      'title', s.author_title,
      'company', s.author_company,
      'avatar_url', s.author_avatar_url,
      'website_url', s.author_website_url
    ),
    'consent', json_build_object(
      'granted', s.consent_granted,
      'text', s.consent_text,
      'granted_at', iso_timestamp(s.consent_granted_at),
      'revoked_at', iso_timestamp(s.consent_revoked_at)
    ),
    'source', json_build_object(
      'provider', s.source_provider,
      'url', s.source_url,
      'collected_at', iso_timestamp(s.source_collected_at)
    ),
    'language', s.language,
    'tags', s.tags,
    'external_id', s.external_id,
    'metadata', s.metadata,
    'video_id', s.video_id,
    'import_id', s.import_id,
    'moderation', json_build_object(
      'by', s.moderated_by,
      'at', iso_timestamp(s.moderated_at),
      'reason', s.moderation_reason
    ),
    'public', s.is_public,
    'created_at', iso_timestamp(uuid_extract_timestamp(s.id)),
    'updated_at', iso_timestamp(s.updated_at)
  )
$$;
