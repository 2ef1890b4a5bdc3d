-- The columns of a submission, as JSON on the way in and out: a column that is added is added here and nowhere else in SQL.

-- Stores a submission, with its event and deliveries. p_fields holds the columns of the table that the caller may set.
create or replace function create_submission(
  p_team uuid,
  p_project uuid,
  p_id uuid,
  p_fields jsonb,
  p_revoke_token_hash bytea
) returns submissions language plpgsql as $$
declare
  v_submission submissions;
begin
  insert into submissions (
    team_id, project_id, id, kind, channel, title, body, rating,
    author_name, author_email, author_title, author_company, author_avatar_url, author_website_url,
    consent_granted, consent_text, consent_granted_at,
    source_provider, source_url, source_collected_at,
    language, tags, external_id, metadata, revoke_token_hash
  )
  select p_team, p_project, p_id, f.kind, f.channel, f.title, f.body, f.rating,
         f.author_name, f.author_email, f.author_title, f.author_company, f.author_avatar_url, f.author_website_url,
         coalesce(f.consent_granted, false), f.consent_text, case when f.consent_granted then coalesce(f.consent_granted_at, now()) end,
         f.source_provider, f.source_url, f.source_collected_at,
         f.language, coalesce(f.tags, '{}'), f.external_id, coalesce(f.metadata, '{}'), p_revoke_token_hash
    from jsonb_to_record(p_fields) as f (
      kind text, channel text, title text, body text, rating smallint,
      author_name text, author_email text, author_title text, author_company text, author_avatar_url text, author_website_url text,
      consent_granted boolean, consent_text text, consent_granted_at timestamptz,
      source_provider text, source_url text, source_collected_at timestamptz,
      language text, tags text[], external_id text, metadata jsonb
    )
  returning * into v_submission;

  perform emit_event(p_team, p_project, 'submission.created', json_build_object('submission', submission_payload(v_submission)));
  return v_submission;
end $$;

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
