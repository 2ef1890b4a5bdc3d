-- Says which of some new records are to be stored: takes their fingerprints, and charges a quota for those that are no repeats.
-- The arrays hold one value per record, at its number; a record without a team is not looked at, one without a fingerprint is
-- never a repeat. ids: the record's own id, or that of the first record with its fingerprint within ten minutes. refusals: not
-- null where the quota is used up; such a record leaves nothing behind, and a repeat shares the refusal of what it repeats.
-- Each step locks its rows in one order, the same in every process, so that batches never wait for each other in a circle:
-- fingerprints, then quotas.
create or replace function admit_records(
  p_quota text,
  p_teams uuid[],
  p_projects uuid[],
  p_ids uuid[],
  p_fingerprints bytea[],
  out ids uuid[],
  out refusals quota_status[]
) language plpgsql as $$
declare
  v_team uuid := (array_remove(p_teams, null))[1];
  v_previous uuid;
  v_setting text;
  v_keys bytea[];
  v_records uuid[];
  -- The team of each record that is charged, at its number.
  v_charged uuid[];
  v_units int;
  v_quota record;
  v_status quota_status;
  v_refused uuid[];
begin
  if v_team is null then
    return;
  end if;
  -- A role that policies bind stores records of one team at a time.
  -- Assigned, because perform would start a query.
  v_setting := set_config('earshot.team_id', v_team::text, true);

  -- Of parallel statements one inserts a fingerprint; the others wait here, and get what it wrote.
  with taken as (
    insert into visitor_fingerprints as f (team_id, project_id, fingerprint, record_id)
    select distinct on (r.team_id, r.project_id, r.fingerprint) r.team_id, r.project_id, r.fingerprint, r.id
      from unnest(p_teams, p_projects, p_ids, p_fingerprints) with ordinality r (team_id, project_id, id, fingerprint, number)
     where r.team_id is not null and r.fingerprint is not null
     order by r.team_id, r.project_id, r.fingerprint, r.number
    on conflict (team_id, project_id, fingerprint) do update set
      record_id = case when f.record_id < uuid_at(now() - interval '10 minutes') then excluded.record_id else f.record_id end
    returning f.team_id, f.project_id, f.fingerprint, f.record_id
  )
  select array_agg(uuid_send(t.team_id) || uuid_send(t.project_id) || t.fingerprint), array_agg(t.record_id)
    into v_keys, v_records
    from taken t;
  -- One record is the usual case: to start a query costs more than many of these expressions.
  for v_number in 1 .. cardinality(p_ids) loop
    if p_teams[v_number] is not null then
      ids[v_number] := coalesce(
        v_records[array_position(v_keys, uuid_send(p_teams[v_number]) || uuid_send(p_projects[v_number]) || p_fingerprints[v_number])],
        p_ids[v_number]
      );
      v_charged[v_number] := case when ids[v_number] = p_ids[v_number] then p_teams[v_number] end;
    end if;
  end loop;

  -- Charged before anything is stored, so that what exceeds the quota is never written. Most batches end with this block: a
  -- subtransaction for each team would cost more than its charge.
  v_charged := array_sort(v_charged);
  begin
    foreach v_team in array v_charged loop
      exit when v_team is null;
      continue when v_team = v_previous;
      v_previous := v_team;
      v_units := charge_stripe(v_team, p_quota, null, null, null, cardinality(array_positions(v_charged, v_team)));
    end loop;
    return;
  exception when no_data_found then
  end;

  v_previous := null;
  foreach v_team in array v_charged loop
    exit when v_team is null;
    continue when v_team = v_previous;
    v_previous := v_team;
    v_units := cardinality(array_positions(v_charged, v_team));
    v_quota := consume_quota(v_team, p_quota, v_units);
    continue when v_quota.granted = v_units;
    v_status := row(v_quota.used, v_quota.max, v_quota.resets_at);
    v_refused := (
      select array_agg(r.id order by r.number)
        from unnest(p_teams, p_ids, ids) with ordinality r (team_id, id, first_id, number)
       where r.team_id = v_team and r.first_id = r.id
    )[v_quota.granted + 1:];
    refusals := array(
      select case when r.first_id = any (v_refused) then v_status else refusals[r.number] end
        from unnest(ids) with ordinality r (first_id, number)
       order by r.number
    );
    delete from visitor_fingerprints f
     where f.team_id = v_team and f.record_id = any (v_refused);
  end loop;
end $$;
