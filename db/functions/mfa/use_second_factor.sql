-- Uses up a code, so that of any number of callers with it one alone gets in: of an authenticator app the 30 seconds that it
-- belongs to, with all before (RFC 6238 §5.2); or a recovery code.
create or replace function use_second_factor(p_user uuid, p_step bigint, p_recovery_hash bytea) returns boolean
language plpgsql as $$
begin
  if p_step is not null then
    update second_factors set last_step = p_step where user_id = p_user and last_step < p_step;
  else
    update recovery_codes set used_at = now() where user_id = p_user and hash = p_recovery_hash and used_at is null;
  end if;
  return found;
end $$;
