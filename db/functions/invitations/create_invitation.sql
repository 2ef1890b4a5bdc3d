-- Invites an address: the invitation, its event, its audit line and its mail. A pending one takes a place of the team.
-- The audit line does not name the address: the log is read without read:contacts too.
create or replace function create_invitation(
  p_actor actor,
  p_team uuid,
  p_email text,
  p_role text,
  p_token_hash bytea,
  p_sealed bytea,
  p_max int,
  p_window_seconds int
) returns invitations language plpgsql as $$
declare
  -- Behind the team's lock, so that places are counted exactly and nobody joins meanwhile.
  v_own text := lock_people(p_actor, p_team);
  v_invitation invitations;
begin
  perform require_owner(v_own, array[p_role]);
  perform require_room(p_team, 'members');
  if exists (
    select
      from memberships m
      join users u on u.id = m.user_id
     where m.team_id = p_team and lower(u.email) = lower(p_email)
  ) then
    perform refuse('already_exists', '{"detail": "This person is on the team already."}');
  end if;

  update invitations
     set state = 'expired'
   where team_id = p_team and lower(email) = lower(p_email) and state = 'pending' and expires_at <= now();

  insert into invitations (team_id, email, role, token_hash, invited_by)
  values (p_team, p_email, p_role, p_token_hash, p_actor.user_id)
  returning * into v_invitation;

  perform record_audit(p_actor, p_team, null, 'invitation.created', 'invitation', v_invitation.id,
    jsonb_build_object('role', jsonb_build_object('from', null, 'to', p_role)));
  perform emit_event(p_team, null, 'team.invitation.created', json_build_object('invitation', invitation_payload(v_invitation)));
  perform mail_invitation(p_actor, v_invitation, p_sealed, p_max, p_window_seconds);
  return v_invitation;
end $$;
