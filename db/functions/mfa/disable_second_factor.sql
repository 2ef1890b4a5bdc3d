-- Takes the second factor away, by one of its own codes. False where the code was used, or is none.
create or replace function disable_second_factor(p_actor actor, p_step bigint, p_recovery_hash bytea) returns boolean
language plpgsql as $$
declare
  v_user users;
begin
  select * into v_user from users where id = p_actor.user_id and mfa_enabled_at is not null for no key update;
  if not found or not use_second_factor(v_user.id, p_step, p_recovery_hash) then
    return false;
  end if;
  delete from second_factors where user_id = v_user.id;
  delete from recovery_codes where user_id = v_user.id;
  update users set mfa_enabled_at = null, updated_at = now() where id = v_user.id;
  perform record_audit_in_teams(p_actor, v_user.id, 'mfa.disabled', 'user', v_user.id);
  perform queue_mail(v_user.email, 'mfa-disabled', jsonb_build_object('name', v_user.name), null);
  return true;
end $$;
