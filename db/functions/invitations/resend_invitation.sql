-- Mails a pending invitation again, with another link and another week; the link before stops working.
create or replace function resend_invitation(
  p_actor actor,
  p_team uuid,
  p_invitation uuid,
  p_token_hash bytea,
  p_sealed bytea,
  p_max int,
  p_window_seconds int
) returns invitations language plpgsql as $$
declare
  v_before invitations := lock_invitation(p_actor, p_team, p_invitation);
  v_state text := invitation_state(v_before.state, v_before.expires_at);
  v_after invitations;
begin
  if v_state <> 'pending' then
    perform refuse('state_conflict', jsonb_build_object('current_state', v_state));
  end if;

  update invitations
     set token_hash = p_token_hash, expires_at = now() + interval '7 days', updated_at = now()
   where team_id = p_team and id = p_invitation
  returning * into v_after;

  perform record_audit(p_actor, p_team, null, 'invitation.resent', 'invitation', p_invitation,
    jsonb_build_object('expires_at', jsonb_build_object('from', iso_timestamp(v_before.expires_at), 'to', iso_timestamp(v_after.expires_at))));
  perform mail_invitation(p_actor, v_after, p_sealed, p_max, p_window_seconds);
  return v_after;
end $$;
