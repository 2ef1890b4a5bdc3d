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
