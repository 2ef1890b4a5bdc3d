-- Sets the password of the account whose link this is; since the link came by mail, it confirms the address too. Whoever is
-- signed in is signed out. The outcome is that of the link.
create or replace function reset_password(p_link_hash bytea, p_password_hash text, p_ip inet) returns text
language plpgsql as $$
declare
  v_link record;
  v_user users;
begin
  v_link := take_account_link(p_link_hash, 'reset');
  if v_link.outcome <> 'taken' then
    return v_link.outcome;
  end if;
  update users
     set password_hash = p_password_hash, email_verified_at = coalesce(email_verified_at, now()), updated_at = now()
   where id = v_link.user_id
  returning * into v_user;
  delete from account_links where user_id = v_user.id;
  perform end_sign_ins(v_user.id, null);
  perform record_audit_in_teams(row(v_user.id, null, null, p_ip)::actor, v_user.id, 'password.reset', 'user', v_user.id);
  perform queue_mail(v_user.email, 'password-changed', jsonb_build_object('name', v_user.name), null);
  return v_link.outcome;
end $$;
