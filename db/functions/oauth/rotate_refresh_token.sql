-- Exchanges a refresh token for its successor, and for an access token where the credential stores those. One atomic step:
-- of any number of callers with the same token exactly one gets the next.
-- The outcome says why the others do not get it:
--   unknown        not this client's, or revoked
--   expired
--   invalid_scope  wider than the credential; nothing was used up
--   reused         the second caller may be a thief, so the credential ends with all that it issued (RFC 9700 §4.14.2)
--   raced          a second use within the leeway, while the successor is unused: refused, but nothing ends
create or replace function rotate_refresh_token(
  p_hash bytea,
  p_kind text,
  p_client uuid,
  p_scopes text[],
  p_next_hash bytea,
  p_next_expires_at timestamptz,
  p_access_hash bytea,
  p_access_expires_at timestamptz,
  p_leeway_seconds int,
  out outcome text,
  out credential_id uuid,
  out user_id uuid,
  out scopes text[]
) language plpgsql as $$
#variable_conflict use_column
declare
  v_token record;
begin
  update refresh_tokens r
     set used_at = now(), successor = p_next_hash
    from credentials c
    join users u on u.id = c.user_id and u.disabled_at is null
   where r.hash = p_hash and r.used_at is null and r.expires_at > now()
     and c.id = r.credential_id and c.kind = p_kind and c.client_id is not distinct from p_client and c.revoked_at is null
     and (p_scopes is null or p_scopes <@ c.scopes)
  returning c.id, c.user_id, coalesce(p_scopes, c.scopes)
       into credential_id, user_id, scopes;

  if found then
    insert into refresh_tokens (hash, credential_id, expires_at)
    values (p_next_hash, credential_id, p_next_expires_at);
    insert into access_tokens (hash, credential_id, scopes, expires_at)
    select p_access_hash, rotate_refresh_token.credential_id, rotate_refresh_token.scopes, p_access_expires_at
     where p_access_hash is not null;
    update credentials c
       set expires_at = p_next_expires_at, last_used_at = now()
     where c.id = rotate_refresh_token.credential_id;
    outcome := 'rotated';
    return;
  end if;

  select r.used_at, r.expires_at, c.id as credential_id, c.scopes, next.used_at is null as successor_is_unused
    into v_token
    from refresh_tokens r
    join credentials c on c.id = r.credential_id and c.kind = p_kind and c.client_id is not distinct from p_client and c.revoked_at is null
    join users u on u.id = c.user_id and u.disabled_at is null
    left join refresh_tokens next on next.hash = r.successor
   where r.hash = p_hash;

  if not found then
    outcome := 'unknown';
  elsif v_token.used_at is null and v_token.expires_at <= now() then
    outcome := 'expired';
  elsif v_token.used_at is null then
    outcome := 'invalid_scope';
  elsif v_token.successor_is_unused and v_token.used_at > clock_timestamp() - p_leeway_seconds * interval '1 second' then
    outcome := 'raced';
  else
    perform end_reused_credential(v_token.credential_id, 'a refresh token');
    outcome := 'reused';
  end if;
end $$;
