-- All changes of a team's people and of its invitations meet at the team's row, so that owners and places are counted exactly.
-- The actor's own role is read behind that lock once more and given back: of two owners who demote each other at once, one is
-- no owner any more when the turn comes.
create or replace function lock_people(p_actor actor, p_team uuid) returns text
language plpgsql as $$
declare
  v_own text;
begin
  perform 1 from teams where id = p_team and deleted_at is null for no key update;
  if not found then
    perform refuse('not_found');
  end if;
  select role into v_own from memberships where team_id = p_team and user_id = p_actor.user_id;

  if v_own is null then
    perform refuse('not_found');
  elsif v_own not in ('admin', 'owner') then
    perform refuse('insufficient_role', '{"required_role": "admin"}');
  end if;
  return v_own;
end $$;
