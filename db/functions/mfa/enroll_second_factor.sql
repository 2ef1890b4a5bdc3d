-- Keeps the secret of an authenticator app until it is confirmed; one that waits already is replaced. False where a second
-- factor is in use.
create or replace function enroll_second_factor(p_user uuid, p_sealed bytea) returns boolean
language plpgsql as $$
begin
  -- Locked against a confirmation at the same moment, which would put to use a secret that nobody was shown.
  perform 1 from users where id = p_user and mfa_enabled_at is null for no key update;
  if not found then
    return false;
  end if;
  insert into second_factors (user_id, sealed)
  values (p_user, p_sealed)
  on conflict (user_id) do update set
    sealed = excluded.sealed,
    last_step = 0;
  return true;
end $$;
