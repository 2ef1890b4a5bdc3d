-- For quotas that count what exists (projects, endpoints, members): refuses when the plan has no room for one more.
-- The team's row is locked, so that of ten callers at once exactly one gets the last place.
create or replace function require_room(p_team uuid, p_quota text) returns void
language plpgsql as $$
declare
  v_max int;
  v_used int;
begin
  perform 1 from teams where id = p_team for no key update;

  -- Behind the lock: together with it, a plan that changed during the wait would join to nothing, and nothing would be bounded.
  select (p.quotas ->> p_quota)::int
    into v_max
    from teams t
    join plans p on p.name = t.plan
   where t.id = p_team;

  v_used := room_used(p_team, p_quota);

  if v_used >= v_max then
    perform refuse('quota_exceeded', jsonb_build_object('quota', p_quota, 'limit', v_max, 'used', v_used, 'resets_at', null));
  end if;
end $$;
