-- Stores checked responses in one commit: each with its unit of the quota, its change of the figures, its events and deliveries.
-- One row per item, in the same order.
-- p_items: numbered from 1, each with fields (the columns of the response), buckets (what its answers count as), payload (the
-- response as events show it), is_low (its score is below the threshold of the team) and fingerprint, hexadecimal or null.
-- The same fingerprint within ten minutes is the first response again (is_repeat), whose id and time are returned.
-- An item leaves nothing behind when id is null (the survey is none of its team), or when quota_max is not null: the quota is
-- used up.
-- Locks as admit_records() does.
create or replace function store_responses(p_items jsonb) returns table (
  team_id uuid,
  id uuid,
  created_at timestamptz,
  is_repeat boolean,
  quota_used int,
  quota_max int,
  quota_resets_at timestamptz
) language plpgsql as $$
#variable_conflict use_column
declare
  -- Each holds one value per item, at the item's number.
  v_responses survey_responses[];
  v_teams uuid[];
  v_projects uuid[];
  v_new_ids uuid[];
  v_fingerprints bytea[];
  v_admitted record;
  -- Those that are stored.
  v_stored survey_responses[];
  v_buckets jsonb[];
  v_payloads json[];
  v_low boolean[];
begin
  -- A role that policies bind stores responses of one team at a time.
  perform set_config('earshot.team_id', p_items #>> '{0,fields,team_id}', true);

  select array_agg(r order by i.number), array_agg(s.team_id order by i.number), array_agg(r.project_id order by i.number),
         array_agg(r.id order by i.number), array_agg(decode(i.fingerprint, 'hex') order by i.number)
    into v_responses, v_teams, v_projects, v_new_ids, v_fingerprints
    from jsonb_to_recordset(p_items) as i (number int, fields jsonb, fingerprint text)
   cross join lateral jsonb_populate_record(null::survey_responses, i.fields) r
    left join lateral (
           select s.team_id
             from surveys s
            where s.team_id = r.team_id and s.project_id = r.project_id and s.id = r.survey_id
            limit 1
         ) s on true;
  v_admitted := admit_records('responses', v_teams, v_projects, v_new_ids, v_fingerprints);

  select array_agg(v_responses[i.number]), array_agg(i.buckets), array_agg(i.payload), array_agg(i.is_low)
    into v_stored, v_buckets, v_payloads, v_low
    from jsonb_to_recordset(p_items) as i (number int, buckets jsonb, payload json, is_low boolean)
   where v_admitted.ids[i.number] = v_new_ids[i.number] and v_admitted.refusals[i.number] is null;

  insert into survey_responses (
    team_id, project_id, survey_id, id, survey_version,
    respondent_external_id, respondent_email, respondent_name, respondent_properties,
    answers, nps_score, language, channel, day, hidden, duration_ms, is_only_one, updated_at
  )
  select r.team_id, r.project_id, r.survey_id, r.id, r.survey_version,
         r.respondent_external_id, r.respondent_email, r.respondent_name, r.respondent_properties,
         r.answers, r.nps_score, r.language, r.channel, r.day, r.hidden, r.duration_ms, r.is_only_one, r.updated_at
    from unnest(v_stored) r;
  perform note_response_changes(v_stored, v_buckets, 1);
  perform emit_events(e.type, array_agg(s.team_id), array_agg(s.project_id), array_agg(v_payloads[s.number]))
     from (values ('survey.response.created', false), ('nps.low_score', true)) e (type, is_low_only)
     join lateral (
            select n.number, (v_stored[n.number]).team_id, (v_stored[n.number]).project_id
              from unnest(v_low) with ordinality n (is_low, number)
             where n.is_low or not e.is_low_only
          ) s on true
    group by e.type;

  return query
  select r.team_id, f.id, uuid_extract_timestamp(f.id), f.id <> r.id, (f.refusal).used, (f.refusal).max, (f.refusal).resets_at
    from unnest(v_responses) with ordinality r
   cross join lateral (select v_admitted.ids[r.ordinality] as id, v_admitted.refusals[r.ordinality] as refusal) f
   order by r.ordinality;
end $$;
