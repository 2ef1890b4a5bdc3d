-- A user makes a bounded number of teams. The user's row is locked, so that parallel callers are counted exactly.
create or replace function require_team_room(p_user uuid, p_max int) returns void
language plpgsql as $$
declare
  v_used int;
begin
  perform 1 from users where id = p_user for no key update;
  select count(*) into v_used from teams where created_by = p_user and deleted_at is null;
  if v_used >= p_max then
    perform refuse('quota_exceeded', jsonb_build_object('quota', 'teams', 'limit', p_max, 'used', v_used, 'resets_at', null));
  end if;
end $$;
