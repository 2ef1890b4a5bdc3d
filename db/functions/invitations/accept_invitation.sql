-- The actor joins the team that the link invites to: once, with the address that was invited, while the invitation stands.
-- Whatever else is wrong with a link looks the same: not_found. The same person's second call finds the membership of the first.
-- The link came to that address by mail, so the address is proven too.
create or replace function accept_invitation(
  p_actor actor,
  p_token_hash bytea,
  out team_id uuid,
  out role text
) language plpgsql as $$
#variable_conflict use_column
declare
  v_team uuid;
  v_is_there boolean;
  v_own text;
  v_max int;
  v_used int;
  v_invitation invitations;
begin
  -- Whose it is tells what to lock; what decides is read behind the lock, for it may have changed during the wait.
  select team_id into v_team from invitations where token_hash = p_token_hash;

  -- The team's row before all else, as in lock_people(): acceptance, revocation and the count of places take turns.
  perform 1 from teams where id = v_team and deleted_at is null for no key update;
  v_is_there := found;

  select i.*
    into v_invitation
    from invitations i
    join users u on u.id = p_actor.user_id and lower(u.email) = lower(i.email)
   where i.team_id = v_team and i.token_hash = p_token_hash;

  select (p.quotas ->> 'members')::int, count(*), max(m.role) filter (where m.user_id = p_actor.user_id)
    into v_max, v_used, v_own
    from teams t
    join plans p on p.name = t.plan
    join memberships m on m.team_id = t.id
   where t.id = v_team
   group by p.name;

  team_id := v_team;
  if v_is_there and v_own is not null and v_invitation.accepted_by = p_actor.user_id then
    role := v_own;
    return;
  elsif not v_is_there or v_invitation.id is null or invitation_state(v_invitation.state, v_invitation.expires_at) <> 'pending' then
    perform refuse('not_found');
  elsif v_own is not null then
    perform refuse('already_exists', '{"detail": "You are on the team already."}');
  elsif v_used >= v_max then
    -- The plan has become smaller: other invitations do not count, or none of them could be accepted.
    perform refuse('quota_exceeded', jsonb_build_object('quota', 'members', 'limit', v_max, 'used', v_used, 'resets_at', null));
  end if;

  update invitations
     set state = 'accepted', accepted_at = now(), accepted_by = p_actor.user_id, updated_at = now()
   where team_id = v_team and id = v_invitation.id;
  update users
     set email_verified_at = now(), updated_at = now()
   where id = p_actor.user_id and email_verified_at is null;

  perform record_audit(p_actor, v_team, null, 'invitation.accepted', 'invitation', v_invitation.id,
    '{"state": {"from": "pending", "to": "accepted"}}');
  perform add_member(p_actor, v_team, p_actor.user_id, v_invitation.role);
  role := v_invitation.role;
end $$;
