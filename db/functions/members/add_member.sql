-- Somebody joins a team: the membership, its event and its audit line. Whether there is room is the caller's to judge.
create or replace function add_member(p_actor actor, p_team uuid, p_user uuid, p_role text) returns void
language plpgsql as $$
declare
  v_member memberships;
begin
  insert into memberships (team_id, user_id, role)
  values (p_team, p_user, p_role)
  returning * into v_member;

  perform emit_event(p_team, null, 'team.member.added', json_build_object('member', json_build_object(
            'user', team_user_payload(u),
            'role', v_member.role,
            'joined_at', iso_timestamp(v_member.joined_at)
          )))
     from users u
    where u.id = p_user;
  perform record_audit(p_actor, p_team, null, 'member.added', 'user', p_user, jsonb_build_object('role', jsonb_build_object('from', null, 'to', p_role)));
end $$;
