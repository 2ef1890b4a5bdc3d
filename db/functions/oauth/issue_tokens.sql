-- The first tokens of what a client was allowed, which lives as long as its refresh token from now on.
create or replace function issue_tokens(
  p_credential uuid,
  p_scopes text[],
  p_access_hash bytea,
  p_access_seconds int,
  p_refresh_hash bytea,
  p_refresh_seconds int
) returns void language sql as $$
  insert into access_tokens (hash, credential_id, scopes, expires_at)
  values (p_access_hash, p_credential, p_scopes, now() + p_access_seconds * interval '1 second');
  insert into refresh_tokens (hash, credential_id, expires_at)
  values (p_refresh_hash, p_credential, now() + p_refresh_seconds * interval '1 second');
  update credentials
     set expires_at = now() + p_refresh_seconds * interval '1 second'
   where id = p_credential;
$$;
