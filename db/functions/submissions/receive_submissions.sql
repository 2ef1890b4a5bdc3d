-- Stores a batch of public submissions in one commit. One row per item, in the same order.
-- p_items: numbered from 1, each with its fields and, hexadecimal, fingerprint and revoke_token_hash. p_access: the row of
-- public_access() of each item, in their order. The same fingerprint within ten minutes is the first submission again (is_repeat).
-- An item leaves nothing behind when used or project_id is null (over the limit, or no such key), or when quota_max is not
-- null: the quota is used up.
-- Locks the counters of addresses in public_access(), and then as admit_records() does.
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
  v_teams uuid[];
  v_projects uuid[];
  v_new_ids uuid[];
  v_fingerprints bytea[];
  v_admitted record;
begin
  select array_agg(case when a.used is not null and a.project_id is not null then a.team_id end order by a.number),
         array_agg(a.project_id order by a.number),
         array_agg(uuidv7() order by a.number),
         array_agg(decode(i.fingerprint, 'hex') order by a.number)
    into v_teams, v_projects, v_new_ids, v_fingerprints
    from jsonb_to_recordset(p_items) as i (number int, fingerprint text)
    join unnest(p_access) a on a.number = i.number;
  v_admitted := admit_records('submissions', v_teams, v_projects, v_new_ids, v_fingerprints);

  -- A role that policies bind receives one submission at a time, whose team is set.
  perform create_submissions(
            array_agg(a.team_id), array_agg(a.project_id), array_agg(v_new_ids[i.number]), array_agg(i.fields),
            array_agg(decode(i.revoke_token_hash, 'hex'))
          )
     from jsonb_to_recordset(p_items) as i (number int, fields jsonb, revoke_token_hash text)
     join unnest(p_access) a on a.number = i.number
    where v_admitted.ids[i.number] = v_new_ids[i.number] and v_admitted.refusals[i.number] is null;

  return query
  select a.team_id, a.project_id, a.public_count, a.rated_count, a.rating_sum, a.used, a.reset_seconds, a.blocked_seconds,
         r.id, uuid_extract_timestamp(r.id), r.id <> v_new_ids[a.number],
         (r.refusal).used, (r.refusal).max, (r.refusal).resets_at
    from unnest(p_access) a
   cross join lateral (select v_admitted.ids[a.number] as id, v_admitted.refusals[a.number] as refusal) r
   order by a.number;
end $$;
