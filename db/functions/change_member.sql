-- Gives a person on the team another role, or with p_role null removes the person. All changes of a team's people meet at
-- the team's row, so that owners are counted exactly, and the actor's own role is read there once more: of two owners who
-- demote each other at once, one is no owner any more when the turn comes.
create or replace function change_member(p_actor actor, p_team uuid, p_user uuid, p_role text) returns void
language plpgsql as $$
declare
  v_own text;
  v_before text;
begin
  perform 1 from teams where id = p_team for no key update;
  select role into v_own from memberships where team_id = p_team and user_id = p_actor.user_id;
  select role into v_before from memberships where team_id = p_team and user_id = p_user;

  if v_own is null or v_before is null then
    perform refuse('not_found');
  elsif v_own not in ('admin', 'owner') then
    perform refuse('insufficient_role', '{"required_role": "admin"}');
  elsif v_own <> 'owner' and (v_before = 'owner' or p_role = 'owner') then
    perform refuse('insufficient_role', '{"required_role": "owner"}');
  elsif v_before = 'owner' and p_role is distinct from 'owner'
    and not exists (select from memberships where team_id = p_team and role = 'owner' and user_id <> p_user) then
    perform refuse('last_owner');
  end if;

  if p_role is null then
    delete from memberships where team_id = p_team and user_id = p_user;
    perform record_audit(p_actor, p_team, null, 'member.removed', 'user', p_user, jsonb_build_object('role', jsonb_build_object('from', v_before, 'to', null)));
  elsif p_role <> v_before then
    update memberships set role = p_role where team_id = p_team and user_id = p_user;
    perform record_audit(p_actor, p_team, null, 'member.updated', 'user', p_user, jsonb_build_object('role', jsonb_build_object('from', v_before, 'to', p_role)));
  end if;
end $$;
