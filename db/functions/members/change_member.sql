-- Gives a person on the team another role, or with p_role null removes the person.
create or replace function change_member(p_actor actor, p_team uuid, p_user uuid, p_role text) returns void
language plpgsql as $$
declare
  v_own text := lock_people(p_actor, p_team);
  v_before text;
begin
  select role into v_before from memberships where team_id = p_team and user_id = p_user;

  if v_before is null then
    perform refuse('not_found');
  end if;
  perform require_owner(v_own, array[v_before, p_role]);
  if v_before = 'owner' and p_role is distinct from 'owner'
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
