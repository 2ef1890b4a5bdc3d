-- Puts to use the second factor that waits, with new recovery codes. The secret is named, because another may have taken its
-- place since the code was checked. False where none waits. Hashes come in hexadecimal digits.
create or replace function confirm_second_factor(p_actor actor, p_sealed bytea, p_step bigint, p_recovery_hashes text[]) returns boolean
language plpgsql as $$
declare
  v_user users;
begin
  -- Of several at once the others find it in use.
  select * into v_user from users where id = p_actor.user_id and mfa_enabled_at is null for no key update;
  update second_factors set last_step = p_step where user_id = v_user.id and sealed = p_sealed;
  if not found then
    return false;
  end if;
  update users set mfa_enabled_at = now(), updated_at = now() where id = v_user.id;
  -- A log-in by password alone is none that such an account may have.
  update credentials
     set revoked_at = now(), updated_at = now()
   where user_id = v_user.id and kind = 'jwt' and revoked_at is null;
  insert into recovery_codes (user_id, hash)
  select v_user.id, decode(hash, 'hex') from unnest(p_recovery_hashes) hash;
  perform record_audit_in_teams(p_actor, v_user.id, 'mfa.enabled', 'user', v_user.id);
  perform queue_mail(v_user.email, 'mfa-enabled', jsonb_build_object('name', v_user.name), null);
  return true;
end $$;
