-- Sends a link by which the owner of an address chooses a new password. For an address without an account the same is
-- written, a link to nobody and a mail that is deleted again: neither the answer nor its time tells who has one.
create or replace function request_password_reset(p_email text, p_link_hash bytea, p_sealed bytea) returns void
language plpgsql as $$
declare
  v_user users;
  v_whose uuid;
  v_mail uuid;
begin
  select * into v_user from users where lower(email) = lower(p_email) and disabled_at is null;
  v_whose := coalesce(v_user.id, uuidv7());
  v_mail := queue_mail(coalesce(v_user.email, p_email), 'password-reset', jsonb_build_object('name', coalesce(v_user.name, '')), p_sealed);
  if may_mail_account(v_whose, 'reset') then
    perform renew_account_link(v_whose, 'reset', p_link_hash);
  end if;
  -- Unless the link that was sent is the one that works.
  delete from mails
   where id = v_mail
     and (v_user.id is null or not exists (select from account_links where user_id = v_user.id and hash = p_link_hash));
end $$;
