-- Stores checked responses in one commit: each with its unit of the quota, its change of the figures, its events and deliveries.
-- One row per item, in the same order.
-- p_items: numbered from 1, each with fields (the columns of the response), buckets (what its answers count as), payload (the
-- response as events show it), is_low (its score is below the threshold of the team) and fingerprint, hexadecimal or null.
-- The same fingerprint within ten minutes is the first response again (is_repeat), whose id and time are returned.
-- An item leaves nothing behind when quota_max is not null: the quota is used up.
-- Each step locks its rows in one order, the same in every process, so that batches never wait for each other in a circle:
-- fingerprints, then quotas.
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
  v_new_ids uuid[];
  v_ids uuid[];
  v_refusals quota_status[];
  -- Those that are stored.
  v_stored survey_responses[];
  v_buckets jsonb[];
  v_payloads json[];
  v_low boolean[];
  v_first_id uuid;
  v_item record;
  v_team record;
  v_quota record;
begin
  select array_agg(jsonb_populate_record(null::survey_responses, i.fields) order by i.number)
    into v_responses
    from jsonb_to_recordset(p_items) as i (number int, fields jsonb);

  for v_item in
    select i.number, r.team_id, r.project_id, r.id, decode(i.fingerprint, 'hex') as fingerprint
      from jsonb_to_recordset(p_items) as i (number int, fingerprint text)
     cross join lateral (select (v_responses[i.number]).*) r
     order by r.team_id, r.project_id, i.fingerprint, i.number
  loop
    v_new_ids[v_item.number] := v_item.id;
    v_ids[v_item.number] := v_item.id;
    -- A role that policies bind sees one team at a time.
    perform set_config('earshot.team_id', v_item.team_id::text, true);
    continue when v_item.fingerprint is null;
    -- Of parallel statements one inserts a fingerprint; the others wait here, and get what it wrote.
    insert into visitor_fingerprints as f (team_id, project_id, fingerprint, record_id)
    values (v_item.team_id, v_item.project_id, v_item.fingerprint, v_item.id)
    on conflict (team_id, project_id, fingerprint) do update set
      record_id = case when f.record_id < uuid_at(now() - interval '10 minutes') then excluded.record_id else f.record_id end
    returning f.record_id into v_first_id;
    v_ids[v_item.number] := v_first_id;
  end loop;

  -- Charged before anything is stored, so that what exceeds the quota is never written.
  for v_team in
    select (v_responses[n.number]).team_id, array_agg(n.number order by n.number) as numbers
      from generate_subscripts(v_ids, 1) n (number)
     where v_ids[n.number] = v_new_ids[n.number]
     group by 1
     order by 1
  loop
    perform set_config('earshot.team_id', v_team.team_id::text, true);
    v_quota := consume_quota(v_team.team_id, 'responses', cardinality(v_team.numbers));
    for v_item in select n.number from unnest(v_team.numbers[v_quota.granted + 1:]) n (number) loop
      v_refusals[v_item.number] := row(v_quota.used, v_quota.max, v_quota.resets_at)::quota_status;
      delete from visitor_fingerprints f
       where f.team_id = v_team.team_id and f.record_id = v_ids[v_item.number];
    end loop;
  end loop;

  select array_agg(v_responses[i.number]), array_agg(i.buckets), array_agg(i.payload), array_agg(i.is_low)
    into v_stored, v_buckets, v_payloads, v_low
    from jsonb_to_recordset(p_items) as i (number int, buckets jsonb, payload json, is_low boolean)
   where v_ids[i.number] = v_new_ids[i.number] and v_refusals[i.number] is null;

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
  select (v_responses[i.number]).team_id, i.id, uuid_extract_timestamp(i.id), i.id <> v_new_ids[i.number], q.used, q.max, q.resets_at
    from unnest(v_ids) with ordinality i (id, number)
   -- A repeat shares the refusal of the item that it repeats.
   cross join lateral (select (v_refusals[array_position(v_new_ids, i.id)]).*) q
   order by i.number;
end $$;
