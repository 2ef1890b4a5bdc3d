-- Ends a pending invitation; its link stops working. One that works no more stays as it is, and nothing is logged.
create or replace function revoke_invitation(p_actor actor, p_team uuid, p_invitation uuid) returns void
language plpgsql as $$
declare
  v_invitation invitations := lock_invitation(p_actor, p_team, p_invitation);
  v_state text := invitation_state(v_invitation.state, v_invitation.expires_at);
begin
  if v_state = 'accepted' then
    perform refuse('state_conflict', jsonb_build_object('current_state', v_state));
  elsif v_state = 'pending' then
    update invitations
       set state = 'revoked', revoked_at = now(), updated_at = now()
     where team_id = p_team and id = p_invitation;
    perform record_audit(p_actor, p_team, null, 'invitation.revoked', 'invitation', p_invitation,
      '{"state": {"from": "pending", "to": "revoked"}}');
  end if;
end $$;
