-- For quotas that count what exists (projects, endpoints): refuses when the plan has no room for one more.
-- The team's row is locked, so that of ten callers at once exactly one gets the last place.
create or replace function require_room(p_team uuid, p_quota text) returns void
language plpgsql as $$
declare
  v_max int;
  v_used int;
begin
  select (p.quotas ->> p_quota)::int
    into v_max
    from teams t
    join plans p on p.name = t.plan
   where t.id = p_team
     for no key update of t;

  v_used := case p_quota
    when 'projects' then (select count(*) from projects where team_id = p_team and deleted_at is null)
    when 'webhook_endpoints' then (select count(*) from webhook_endpoints where team_id = p_team and deleted_at is null)
    when 'members' then (select count(*) from memberships where team_id = p_team)
  end;

  if v_used >= v_max then
    perform refuse('quota_exceeded', jsonb_build_object('quota', p_quota, 'limit', v_max, 'used', v_used, 'resets_at', null));
  end if;
end $$;
