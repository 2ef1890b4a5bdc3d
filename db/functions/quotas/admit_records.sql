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
  v_teams uuid[];
  v_units int[];
  v_short record;
  v_refused uuid[];
begin
  -- A role that policies bind stores records of one team at a time.
  perform set_config('earshot.team_id', r.team_id::text, true)
     from unnest(p_teams) r (team_id)
    where r.team_id is not null
    limit 1;

  -- Of parallel statements one inserts a fingerprint; the others wait here, and get what it wrote.
  with record as materialized (
    select *
      from unnest(p_teams, p_projects, p_ids, p_fingerprints) with ordinality r (team_id, project_id, id, fingerprint, number)
  ),
  taken as (
    insert into visitor_fingerprints as f (team_id, project_id, fingerprint, record_id)
    select distinct on (r.team_id, r.project_id, r.fingerprint) r.team_id, r.project_id, r.fingerprint, r.id
      from record r
     where r.team_id is not null and r.fingerprint is not null
     order by r.team_id, r.project_id, r.fingerprint, r.number
    on conflict (team_id, project_id, fingerprint) do update set
      record_id = case when f.record_id < uuid_at(now() - interval '10 minutes') then excluded.record_id else f.record_id end
    returning f.team_id, f.project_id, f.fingerprint, f.record_id
  )
  select array_agg(case when r.team_id is not null then coalesce(t.record_id, r.id) end order by r.number)
    into ids
    from record r
    left join taken t on t.team_id = r.team_id and t.project_id = r.project_id and t.fingerprint = r.fingerprint;

  -- Charged before anything is stored, so that what exceeds the quota is never written.
  select coalesce(array_agg(c.team_id order by c.team_id), '{}'), array_agg(c.units order by c.team_id)
    into v_teams, v_units
    from (
           select r.team_id, count(*)::int as units
             from unnest(p_teams, p_ids, ids) r (team_id, id, first_id)
            where r.first_id = r.id
            group by r.team_id
         ) c;
  for v_short in
    select v_teams[q.number] as team_id, q.granted, row(q.used, q.max, q.resets_at)::quota_status as status
      from consume_quotas(p_quota, v_teams, v_units) with ordinality q (granted, used, max, resets_at, number)
     where q.granted < v_units[q.number]
  loop
    v_refused := (
      select array_agg(r.id order by r.number)
        from unnest(p_teams, p_ids, ids) with ordinality r (team_id, id, first_id, number)
       where r.team_id = v_short.team_id and r.first_id = r.id
    )[v_short.granted + 1:];
    refusals := array(
      select case when r.first_id = any (v_refused) then v_short.status else refusals[r.number] end
        from unnest(ids) with ordinality r (first_id, number)
       order by r.number
    );
    delete from visitor_fingerprints f
     where f.team_id = v_short.team_id and f.record_id = any (v_refused);
  end loop;
end $$;
