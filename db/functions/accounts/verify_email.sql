-- Confirms the address of the account whose link this is. The outcome is that of the link.
create or replace function verify_email(p_link_hash bytea) returns text
language plpgsql as $$
declare
  v_link record;
begin
  v_link := take_account_link(p_link_hash, 'verify');
  if v_link.outcome = 'taken' then
    update users set email_verified_at = now(), updated_at = now() where id = v_link.user_id and email_verified_at is null;
  end if;
  return v_link.outcome;
end $$;
