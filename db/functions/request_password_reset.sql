-- Sends a link by which the owner of an address chooses a new password. For an address without an account the same is
-- written, but for a mail that is deleted again in the same transaction: neither the answer nor its time tells who has one.
create or replace function request_password_reset(p_email text, p_link_hash bytea, p_sealed bytea) returns void
language plpgsql as $$
declare
  v_user users;
  v_may boolean;
  v_mail uuid;
begin
  select * into v_user from users where lower(email) = lower(p_email) and disabled_at is null for no key update;
  v_may := may_mail_account(coalesce(v_user.id, uuidv7()), 'reset');
  v_mail := queue_mail(coalesce(v_user.email, p_email), 'password-reset', jsonb_build_object('name', coalesce(v_user.name, '')), p_sealed);
  if v_may and v_user.id is not null then
    perform renew_account_link(v_user.id, 'reset', p_link_hash);
  else
    delete from mails where id = v_mail;
  end if;
end $$;
