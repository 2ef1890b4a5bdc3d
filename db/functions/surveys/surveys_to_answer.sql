-- Reads surveys with what one of their versions asks, as far as their requests are authorized. One row per item, in their order.
-- p_items: numbered from 1, each with survey_id, version (null: the current one), id (of the response; null: a new one) and
-- fingerprint (hexadecimal, null: none). p_access: of each item its row of public_access(), or one with its team and project.
-- status null = there is no such survey; questions null = it has no such version. new_id, created_at and day are those of the
-- response, the day in the team's time zone. repeated_id: the response with this
-- fingerprint within ten minutes, from repeated_at.
create or replace function surveys_to_answer(p_items jsonb, p_access public_access_row[]) returns table (
  number int,
  team_id uuid,
  project_id uuid,
  public_count int,
  rated_count int,
  rating_sum int,
  used int,
  reset_seconds int,
  blocked_seconds int,
  status text,
  response_limit int,
  one_per_respondent boolean,
  is_past boolean,
  asked_version int,
  questions jsonb,
  nps_low_score_threshold smallint,
  new_id uuid,
  created_at timestamptz,
  day text,
  repeated_id uuid,
  repeated_at timestamptz
) language plpgsql as $$
#variable_conflict use_column
begin
  -- A role that policies bind reads the survey of one team at a time.
  perform set_config('earshot.team_id', a.team_id::text, true)
     from unnest(p_access) a
    where a.team_id is not null
    limit 1;

  -- A look-up for each item, by indexes: for a join the planner would read whole tables.
  return query
  select i.number, s.team_id, s.project_id, a.public_count, a.rated_count, a.rating_sum, a.used, a.reset_seconds, a.blocked_seconds,
         s.status, s.response_limit, s.one_per_respondent, coalesce(s.closes_at <= now(), false), s.asked_version, v.questions,
         t.nps_low_score_threshold, n.id, uuid_extract_timestamp(n.id),
         (uuid_extract_timestamp(n.id) at time zone t.timezone)::date::text, f.record_id, uuid_extract_timestamp(f.record_id)
    from jsonb_to_recordset(p_items) as i (number int, survey_id uuid, version int, id uuid, fingerprint text)
    join unnest(p_access) a on a.number = i.number
   cross join lateral (select coalesce(i.id, uuidv7()) as id) n
    left join lateral (
           select s.*, coalesce(i.version, s.version) as asked_version
             from surveys s
            where s.team_id = a.team_id and s.project_id = a.project_id and s.id = i.survey_id and s.deleted_at is null
            limit 1
         ) s on true
    left join lateral (
           select v.questions
             from survey_versions v
            where v.team_id = s.team_id and v.project_id = s.project_id and v.survey_id = s.id and v.version = s.asked_version
            limit 1
         ) v on true
    left join lateral (
           select t.nps_low_score_threshold, t.timezone
             from teams t
            where t.id = s.team_id
            limit 1
         ) t on true
    left join lateral (
           select f.record_id
             from visitor_fingerprints f
            where f.team_id = s.team_id and f.project_id = s.project_id and f.fingerprint = decode(i.fingerprint, 'hex')
              and f.record_id >= uuid_at(now() - interval '10 minutes')
            limit 1
         ) f on true
   order by i.number;
end $$;
