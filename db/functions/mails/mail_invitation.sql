-- Mails the link of an invitation, in the name of who sends it now. How many one address gets from one person is bounded over
-- all teams, invitations made anew and revoked included: nobody's mailbox is filled from here.
create or replace function mail_invitation(
  p_actor actor,
  i invitations,
  p_sealed bytea,
  p_max int,
  p_window_seconds int
) returns void language plpgsql as $$
declare
  v_count record;
begin
  -- The counter after the team's row, always: callers of different teams meet here.
  v_count := count_request('invitation:' || p_actor.user_id || ':' || lower(i.email), p_max, p_window_seconds);
  if v_count.used is null then
    perform refuse('rate_limited', jsonb_build_object(
      'detail', 'You have sent this address enough mails for now; wait for the seconds of Retry-After.',
      'retryAfterSeconds', v_count.reset_seconds));
  end if;

  perform queue_mail(i.email, 'invitation', jsonb_build_object('team', t.name, 'inviter', u.name, 'role', i.role), p_sealed)
     from teams t, users u
    where t.id = i.team_id and u.id = p_actor.user_id;
end $$;
