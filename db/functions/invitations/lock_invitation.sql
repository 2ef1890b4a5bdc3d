-- An invitation that the actor may change, behind the team's lock: of two changes at once the second one sees the first.
create or replace function lock_invitation(p_actor actor, p_team uuid, p_invitation uuid) returns invitations
language plpgsql as $$
declare
  v_own text := lock_people(p_actor, p_team);
  v_invitation invitations;
begin
  select * into v_invitation from invitations where team_id = p_team and id = p_invitation;
  if not found then
    perform refuse('not_found');
  end if;
  perform require_owner(v_own, array[v_invitation.role]);
  return v_invitation;
end $$;
