-- Adds an entry to a team's audit log, in the transaction of the change.
create or replace function record_audit(
  p_actor actor,
  p_team uuid,
  p_project uuid,
  p_action text,
  p_target_type text,
  p_target_id uuid,
  p_changes jsonb default '{}'
) returns void language sql as $$
  insert into audit_entries (team_id, project_id, actor_user_id, credential_id, credential_kind, ip, action, target_type, target_id, changes)
  values (p_team, p_project, p_actor.user_id, p_actor.credential_id, p_actor.credential_kind, p_actor.ip, p_action, p_target_type, p_target_id, p_changes)
$$;
