-- The columns of a submission, as JSON on the way in and out: a column that is added is added here and nowhere else in SQL.

-- Stores submissions, with their events and deliveries, in one insert for all. The arrays hold one value per submission;
-- p_fields holds the columns of the table that the caller may set. An import stores its records itself, for other events.
-- p_claims, claimed and is_due are those of emit_and_claim().
create or replace function store_submissions(
  p_teams uuid[],
  p_projects uuid[],
  p_ids uuid[],
  p_fields jsonb[],
  p_revoke_token_hashes bytea[],
  p_claims jsonb,
  out claimed json,
  out is_due boolean
) language plpgsql as $$
declare
  v_teams uuid[];
  v_projects uuid[];
  v_data json[];
  v_emitted record;
begin
  with created as (
    insert into submissions as s (
      team_id, project_id, id, kind, channel, title, body, rating,
      author_name, author_email, author_title, author_company, author_avatar_url, author_website_url,
      consent_granted, consent_text, consent_granted_at,
      source_provider, source_url, source_collected_at,
      language, tags, external_id, metadata, video_id, video_is_ready, excerpt, featured, position, revoke_token_hash, day
    )
    select n.team_id, n.project_id, n.id, f.kind, f.channel, f.title, f.body, f.rating,
           f.author_name, f.author_email, f.author_title, f.author_company, f.author_avatar_url, f.author_website_url,
           coalesce(f.consent_granted, false), f.consent_text, case when f.consent_granted then coalesce(f.consent_granted_at, now()) end,
           f.source_provider, f.source_url, f.source_collected_at,
           f.language, coalesce(f.tags, '{}'), f.external_id, coalesce(f.metadata, '{}'), f.video_id, coalesce(f.video_is_ready, false),
           f.excerpt, coalesce(f.featured, false), f.position, n.revoke_token_hash,
           (uuid_extract_timestamp(n.id) at time zone t.timezone)::date
      from unnest(p_teams, p_projects, p_ids, p_fields, p_revoke_token_hashes)
             as n (team_id, project_id, id, fields, revoke_token_hash)
      join teams t on t.id = n.team_id
     cross join lateral jsonb_to_record(n.fields) as f (
             kind text, channel text, title text, body text, rating smallint,
             author_name text, author_email text, author_title text, author_company text, author_avatar_url text, author_website_url text,
             consent_granted boolean, consent_text text, consent_granted_at timestamptz,
             source_provider text, source_url text, source_collected_at timestamptz,
             language text, tags text[], external_id text, metadata jsonb, video_id uuid, video_is_ready boolean,
             excerpt text, featured boolean, position double precision
           )
    returning team_id, project_id, json_build_object('submission', submission_payload(s)) as data
  )
  select array_agg(c.team_id), array_agg(c.project_id), array_agg(c.data)
    into v_teams, v_projects, v_data
    from created c;
  v_emitted := emit_and_claim('submission.created', v_teams, v_projects, v_data, null, 0, p_claims);
  claimed := v_emitted.claimed;
  is_due := v_emitted.is_due;
end $$;

-- Does the same without claims, and returns the rows.
create or replace function create_submissions(
  p_teams uuid[],
  p_projects uuid[],
  p_ids uuid[],
  p_fields jsonb[],
  p_revoke_token_hashes bytea[]
) returns setof submissions language plpgsql as $$
declare
  v_stored record;
begin
  v_stored := store_submissions(p_teams, p_projects, p_ids, p_fields, p_revoke_token_hashes, null);
  return query
    select s.*
      from unnest(p_teams, p_projects, p_ids) with ordinality n (team_id, project_id, id, number)
      join submissions s on s.team_id = n.team_id and s.project_id = n.project_id and s.id = n.id
     order by n.number;
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

-- A testimonial as the API shows it (contracts/src/schemas/testimonial.ts): the submission, and what the team added. Both are joined
-- as text: to take the submission's fields apart and build them anew would cost more than all the rest of the event.
create or replace function testimonial_payload_from(s submissions, p_submission json) returns json
language sql stable as $$
  select (
           left(p_submission::text, -1) || ', ' ||
           substr(json_build_object('featured', s.featured, 'excerpt', s.excerpt, 'position', s.position)::text, 2)
         )::json
$$;

create or replace function testimonial_payload(s submissions) returns json
language sql stable as $$
  select testimonial_payload_from(s, submission_payload(s))
$$;
