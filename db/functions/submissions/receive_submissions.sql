-- Stores a batch of public submissions in one commit. One row per item, in the same order.
-- p_items: numbered from 1, each with its fields and, hexadecimal, fingerprint and revoke_token_hash. p_access: the row of
-- public_access() of each item, in their order. The same fingerprint within ten minutes is the first submission again (is_repeat).
-- An item leaves nothing behind when used or project_id is null (over the limit, or no such key), or when quota_max is not
-- null: the quota is used up.
-- Each step locks its rows in one order, the same in every process, so that batches never wait for each other in a
-- circle: counters of addresses, which public_access() locks before, then fingerprints, then quotas.
create or replace function receive_submissions(p_items jsonb, p_access public_access_row[]) returns table (
  team_id uuid,
  project_id uuid,
  public_count int,
  rated_count int,
  rating_sum int,
  used int,
  reset_seconds int,
  blocked_seconds int,
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
  v_new_ids uuid[];
  v_ids uuid[];
  v_refusals quota_status[];
  v_first_id uuid;
  v_item record;
  v_team record;
  v_quota record;
begin
  for v_item in
    select i.number, a.team_id, a.project_id, decode(i.fingerprint, 'hex') as fingerprint
      from jsonb_to_recordset(p_items) as i (number int, fingerprint text)
      join unnest(p_access) a on a.number = i.number
     where a.used is not null and a.project_id is not null
     order by a.team_id, a.project_id, i.fingerprint, i.number
  loop
    v_new_ids[v_item.number] := uuidv7();
    -- A role that policies bind sees one team at a time.
    perform set_config('earshot.team_id', v_item.team_id::text, true);
    -- Of parallel statements one inserts a fingerprint; the others wait here, and get what it wrote.
    insert into visitor_fingerprints as f (team_id, project_id, fingerprint, record_id)
    values (v_item.team_id, v_item.project_id, v_item.fingerprint, v_new_ids[v_item.number])
    on conflict (team_id, project_id, fingerprint) do update set
      record_id = case when f.record_id < uuid_at(now() - interval '10 minutes') then excluded.record_id else f.record_id end
    returning f.record_id into v_first_id;
    v_ids[v_item.number] := v_first_id;
  end loop;

  -- Charged before anything is stored, so that what exceeds the quota is never written.
  for v_team in
    select a.team_id, array_agg(a.number order by a.number) as numbers
      from unnest(p_access) a
     where v_ids[a.number] = v_new_ids[a.number]
     group by a.team_id
     order by a.team_id
  loop
    perform set_config('earshot.team_id', v_team.team_id::text, true);
    v_quota := consume_quota(v_team.team_id, 'submissions', cardinality(v_team.numbers));
    for v_item in select n.number from unnest(v_team.numbers[v_quota.granted + 1:]) n (number) loop
      v_refusals[v_item.number] := row(v_quota.used, v_quota.max, v_quota.resets_at)::quota_status;
      delete from visitor_fingerprints f
       where f.team_id = v_team.team_id and f.record_id = v_ids[v_item.number];
    end loop;
  end loop;

  -- A role that policies bind receives one submission at a time, whose team is set.
  perform create_submissions(
            array_agg(a.team_id), array_agg(a.project_id), array_agg(v_ids[i.number]), array_agg(i.fields),
            array_agg(decode(i.revoke_token_hash, 'hex'))
          )
     from jsonb_to_recordset(p_items) as i (number int, fields jsonb, revoke_token_hash text)
     join unnest(p_access) a on a.number = i.number
    where v_ids[i.number] = v_new_ids[i.number] and v_refusals[i.number] is null;

  return query
  select a.team_id, a.project_id, a.public_count, a.rated_count, a.rating_sum, a.used, a.reset_seconds, a.blocked_seconds,
         v_ids[a.number], uuid_extract_timestamp(v_ids[a.number]), v_ids[a.number] <> v_new_ids[a.number],
         q.used, q.max, q.resets_at
    from unnest(p_access) a
   -- A repeat shares the refusal of the item that it repeats.
   cross join lateral (select (v_refusals[array_position(v_new_ids, v_ids[a.number])]).*) q
   order by a.number;
end $$;
