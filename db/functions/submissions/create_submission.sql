-- A submission arrives, through any channel: the record, its event and deliveries and the quota's unit, all or nothing.
-- p_fields carries the columns of the table that the caller may set. The same p_fingerprint within ten minutes gives the
-- first record back, with is_repeat, and nothing is written.
create or replace function create_submission(
  p_team uuid,
  p_project uuid,
  p_fields jsonb,
  p_revoke_token_hash bytea,
  p_fingerprint bytea,
  out submission submissions,
  out is_repeat boolean
) language plpgsql as $$
declare
  v_id uuid := uuidv7();
  v_first uuid;
  v_event uuid;
  v_used int;
begin
  is_repeat := false;
  if p_fingerprint is not null then
    -- Of parallel callers one inserts and the others wait for it here, then read what it wrote.
    insert into submission_fingerprints as f (team_id, project_id, fingerprint, submission_id)
    values (p_team, p_project, p_fingerprint, v_id)
    on conflict (team_id, project_id, fingerprint) do update set
      submission_id = case when f.submission_id < uuid_at(now() - interval '10 minutes') then excluded.submission_id else f.submission_id end
    returning f.submission_id into v_first;

    if v_first <> v_id then
      select * into submission
        from submissions
       where team_id = p_team and project_id = p_project and id = v_first;
      if found then
        is_repeat := true;
        return;
      end if;
      -- The first one was purged meanwhile: this one takes its place.
      update submission_fingerprints
         set submission_id = v_id
       where team_id = p_team and project_id = p_project and fingerprint = p_fingerprint;
    end if;
  end if;

  insert into submissions (
    team_id, project_id, id, kind, channel, title, body, rating,
    author_name, author_email, author_title, author_company, author_avatar_url, author_website_url,
    consent_granted, consent_text, consent_granted_at,
    source_provider, source_url, source_collected_at,
    language, tags, external_id, metadata, revoke_token_hash
  )
  select p_team, p_project, v_id, f.kind, f.channel, f.title, f.body, f.rating,
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
  returning * into submission;

  v_event := emit_event(p_team, p_project, 'submission.created', json_build_object('submission', submission_payload(submission)));
  v_used := consume_quota(p_team, 'submissions');
end $$;
