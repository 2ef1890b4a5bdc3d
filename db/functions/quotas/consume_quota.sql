-- Charges the stripe of a connection, within what was granted to it under this maximum; that raises no_data_found otherwise. Locks
-- the row. The period, the stripe and the maximum are those of now and of this connection where they are null: one statement then
-- reads all.
create or replace function charge_stripe(p_team uuid, p_quota text, p_period date, p_stripe int, p_max int, p_units int) returns int
language plpgsql as $$
declare
  v_period date := coalesce(p_period, date_trunc('month', now() at time zone 'UTC')::date);
  v_stripe int := coalesce(p_stripe, pg_backend_pid() % 8);
  v_granted int;
begin
  update quota_usage u
     set used = u.used + p_units
   where u.team_id = p_team and u.quota = p_quota and u.period = v_period and u.stripe = v_stripe
     and u.used = (
           select o.used
             from quota_usage o
            where o.team_id = p_team and o.quota = p_quota and o.period = v_period and o.stripe = v_stripe
            order by o.used desc
            limit 1
         )
     and u.max = coalesce(p_max, (
           select (p.quotas ->> p_quota)::int
             from teams t
             join plans p on p.name = t.plan
            where t.id = p_team
         ))
     and u.used + p_units <= u.granted
  returning p_units into strict v_granted;
  return v_granted;
end $$;

-- Uses up units of a monthly quota, as many as are left: granted says how many. Where that is not all, used tells where the
-- team stands then; max is the quota, resets_at when it begins anew. The rows are where writers of a team meet: they are
-- locked last, after all other rows that are shared.
-- Far from the limit a connection changes its own stripe alone, within what was granted to the stripe. Where that does not
-- suffice, it locks all stripes in their order, so that the sum is exact, and grants each an equal part of what is left.
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
  c_stripes constant int := 8;
  v_period date := date_trunc('month', now() at time zone 'UTC')::date;
  v_stripe int := pg_backend_pid() % c_stripes;
  v_used int[] := '{}';
  v_one int;
  v_left int;
begin
  resets_at := (v_period + interval '1 month') at time zone 'UTC';
  select (p.quotas ->> p_quota)::int
    into consume_quota.max
    from teams t
    join plans p on p.name = t.plan
   where t.id = p_team;

  loop
    begin
      granted := charge_stripe(p_team, p_quota, v_period, v_stripe, consume_quota.max, p_units);
      return;
    exception when no_data_found then
      -- An update that finds the row changed meanwhile has locked it all the same. The end of this block unlocks it: who locks
      -- all stripes must hold none before.
    end;
    exit when not exists (
      select from quota_usage u
       where u.team_id = p_team and u.quota = p_quota and u.period = v_period and u.stripe = v_stripe
         and u.max = consume_quota.max and u.used + p_units <= u.granted
    );
  end loop;

  -- A used-up quota is found without a lock, and costs no writes.
  select coalesce(sum(u.used), 0)
    into consume_quota.used
    from quota_usage u
   where u.team_id = p_team and u.quota = p_quota and u.period = v_period;
  if consume_quota.used >= consume_quota.max then
    granted := 0;
    return;
  end if;

  -- Of connections that do this at once, a later one can leave a row of 0 behind, which changes no sum and is never the newest.
  insert into quota_usage (team_id, quota, period, stripe)
  select p_team, p_quota, v_period, s.number
    from generate_series(0, c_stripes - 1) s (number)
   where not exists (
           select from quota_usage u
            where u.team_id = p_team and u.quota = p_quota and u.period = v_period and u.stripe = s.number
         )
  on conflict do nothing;

  for v_number in 0 .. c_stripes - 1 loop
    select u.used
      into v_one
      from quota_usage u
     where u.team_id = p_team and u.quota = p_quota and u.period = v_period and u.stripe = v_number
     order by u.used desc
     limit 1
       for no key update;
    v_used := v_used || v_one;
  end loop;

  -- Units that were given back stand beside the stripes, below zero.
  consume_quota.used := (select sum(n) from unnest(v_used) n) + (
    select coalesce(sum(u.used), 0)
      from quota_usage u
     where u.team_id = p_team and u.quota = p_quota and u.period = v_period and u.stripe < 0
  );
  granted := greatest(0, least(p_units, consume_quota.max - consume_quota.used));
  if granted = 0 then
    return;
  end if;
  consume_quota.used := consume_quota.used + granted;
  v_left := (consume_quota.max - consume_quota.used) / c_stripes;
  update quota_usage u
     set used = n.used,
         granted = n.used + v_left,
         max = consume_quota.max
    from (
           select s.stripe - 1 as stripe, s.used as old_used,
                  s.used + case when s.stripe - 1 = v_stripe then consume_quota.granted else 0 end as used
             from unnest(v_used) with ordinality s (used, stripe)
         ) n
   where u.team_id = p_team and u.quota = p_quota and u.period = v_period and u.stripe = n.stripe and u.used = n.old_used;
end $$;
