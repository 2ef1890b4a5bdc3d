-- Lists below an endpoint are for one that the team has. What a deleted one left stays readable for its 30 days.
create or replace function require_endpoint(p_team uuid, p_endpoint uuid) returns boolean
language plpgsql as $$
begin
  if not exists (select from webhook_endpoints where team_id = p_team and id = p_endpoint and deleted_at is null)
    and not exists (select from webhook_attempts where team_id = p_team and endpoint_id = p_endpoint)
  then
    perform refuse('not_found');
  end if;
  return true;
end $$;
