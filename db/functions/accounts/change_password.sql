-- Sets another password in place of the one that was proven. Whoever is signed in elsewhere is signed out; the session that
-- asks goes on under a new id. False where the password is another by now.
create or replace function change_password(
  p_actor actor,
  p_before text,
  p_password_hash text,
  p_session_hash bytea
) returns boolean
language plpgsql as $$
declare
  v_user users;
begin
  update users
     set password_hash = p_password_hash, updated_at = now()
   where id = p_actor.user_id and password_hash = p_before
  returning * into v_user;
  if not found then
    return false;
  end if;
  delete from account_links where user_id = v_user.id;
  perform end_sign_ins(v_user.id, p_actor.credential_id);
  update credentials
     set hash = p_session_hash, updated_at = now()
   where id = p_actor.credential_id and kind = 'session' and revoked_at is null;
  perform record_audit_in_teams(p_actor, v_user.id, 'password.changed', 'user', v_user.id);
  perform queue_mail(v_user.email, 'password-changed', jsonb_build_object('name', v_user.name), null);
  return true;
end $$;
