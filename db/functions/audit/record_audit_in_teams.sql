-- Adds the same entry to the audit log of each team of a user: a personal credential reaches all of them.
create or replace function record_audit_in_teams(
  p_actor actor,
  p_user uuid,
  p_action text,
  p_target_type text,
  p_target_id uuid,
  p_changes jsonb default '{}'
) returns bigint language sql as $$
  select count(record_audit(p_actor, m.team_id, null, p_action, p_target_type, p_target_id, p_changes))
    from memberships m
    join teams t on t.id = m.team_id and t.deleted_at is null
   where m.user_id = p_user
$$;
