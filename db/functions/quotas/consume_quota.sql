-- Uses up one unit of a monthly quota and tells how many are used, or refuses with quota_exceeded. Called last in every
-- write: the row is the one that all writers of a team meet at, so it is locked for the shortest time, and always after
-- the others.
create or replace function consume_quota(p_team uuid, p_quota text, out used int)
language plpgsql as $$
declare
  v_period date := date_trunc('month', now() at time zone 'UTC')::date;
  v_max int;
begin
  select (p.quotas ->> p_quota)::int
    into v_max
    from teams t
    join plans p on p.name = t.plan
   where t.id = p_team;

  insert into quota_usage as q (team_id, quota, period, used)
  select p_team, p_quota, v_period, 1
   where v_max > 0
  on conflict (team_id, quota, period) do update set used = q.used + 1
  where q.used < v_max
  returning q.used into used;

  if not found then
    perform refuse('quota_exceeded', jsonb_build_object(
      'quota', p_quota,
      'limit', v_max,
      'used', coalesce((select u.used from quota_usage u where u.team_id = p_team and u.quota = p_quota and u.period = v_period), 0),
      'resets_at', iso_timestamp((v_period + interval '1 month') at time zone 'UTC')
    ));
  end if;
end $$;
