-- Uses up units of a monthly quota, as many as are left: granted says how many. used and max tell where the team stands then,
-- resets_at when the quota begins anew. Its row is where all writers of a team meet: it is locked last, after all
-- other rows that are shared.
create or replace function consume_quota(
  p_team uuid,
  p_quota text,
  p_units int default 1,
  out granted int,
  out used int,
  out max int,
  out resets_at timestamptz
) language plpgsql as $$
#variable_conflict use_column
declare
  v_period date := date_trunc('month', now() at time zone 'UTC')::date;
begin
  select (p.quotas ->> p_quota)::int
    into consume_quota.max
    from teams t
    join plans p on p.name = t.plan
   where t.id = p_team;

  insert into quota_usage as q (team_id, quota, period, used)
  select p_team, p_quota, v_period, least(p_units, consume_quota.max)
   where consume_quota.max > 0
  on conflict (team_id, quota, period) do update set used = least(q.used + p_units, consume_quota.max)
  where q.used < consume_quota.max
  returning new.used, new.used - coalesce(old.used, 0)
    into consume_quota.used, granted;

  if not found then
    granted := 0;
    consume_quota.used := coalesce((
      select u.used
        from quota_usage u
       where u.team_id = p_team and u.quota = p_quota and u.period = v_period
    ), 0);
  end if;
  resets_at := (v_period + interval '1 month') at time zone 'UTC';
end $$;
