-- How many there are of what a plan bounds by count, not by month.
create or replace function room_used(p_team uuid, p_quota text) returns int
language plpgsql stable as $$
begin
  return case p_quota
    when 'projects' then (select count(*) from projects where team_id = p_team and deleted_at is null)
    when 'webhook_endpoints' then (select count(*) from webhook_endpoints where team_id = p_team and deleted_at is null)
    -- Who is invited has a place: it is there when the invitation is accepted.
    when 'members' then (select count(*) from memberships where team_id = p_team)
      + (select count(*) from invitations where team_id = p_team and state = 'pending' and expires_at > now())
  end;
end $$;
