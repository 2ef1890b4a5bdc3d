-- Another link to confirm the address, for somebody who knows the password of an account that is not confirmed.
create or replace function request_verification(p_user uuid, p_link_hash bytea, p_sealed bytea) returns void
language plpgsql as $$
declare
  v_user users;
begin
  select * into v_user from users where id = p_user and email_verified_at is null for no key update;
  if found and may_mail_account(v_user.id, 'verify') then
    perform renew_account_link(v_user.id, 'verify', p_link_hash);
    perform queue_mail(v_user.email, 'verify-email', jsonb_build_object('name', v_user.name), p_sealed);
  end if;
end $$;
