-- Somebody wants an account for an address. Whatever comes of it, the caller hears the same, and the same is written: a
-- mail that must not go is deleted again in the same transaction, and its job will find none.
--
-- An address that was signed up for but never confirmed belongs to nobody yet, and whoever comes second may be the one who
-- reads its mail. So the password that was typed first is void, and so is the one typed now: the link asks for a new one,
-- and no password of somebody else's choice survives on an account that its owner confirms.
create or replace function sign_up(
  p_email text,
  p_name text,
  p_password_hash text,
  p_link_hash bytea,
  p_sealed_verify bytea,
  p_sealed_reset bytea
) returns void
language plpgsql as $$
declare
  v_user users;
  v_is_new boolean;
  v_may boolean;
  v_mail uuid;
begin
  -- Of two at once for one address the second waits here for the first.
  insert into users (email, name, password_hash)
  values (p_email, p_name, p_password_hash)
  on conflict (lower(email)) do nothing;
  v_is_new := found;
  -- Locked against a confirmation at the same moment.
  select * into v_user from users where lower(email) = lower(p_email) for no key update;
  v_may := may_mail_account(v_user.id, 'sign_up') and v_user.disabled_at is null;

  if v_is_new then
    perform renew_account_link(v_user.id, 'verify', p_link_hash);
    v_mail := queue_mail(v_user.email, 'verify-email', jsonb_build_object('name', p_name), p_sealed_verify);
  elsif v_user.email_verified_at is not null then
    v_mail := queue_mail(v_user.email, 'sign-up-again', jsonb_build_object('name', v_user.name), null);
  else
    v_mail := queue_mail(v_user.email, 'password-reset', jsonb_build_object('name', p_name), p_sealed_reset);
    if v_may then
      update users set name = p_name, password_hash = null, updated_at = now() where id = v_user.id;
      delete from account_links where user_id = v_user.id and purpose = 'verify';
      perform renew_account_link(v_user.id, 'reset', p_link_hash);
    end if;
  end if;
  if not v_may then
    delete from mails where id = v_mail;
  end if;
end $$;
