-- Uses an authorization code up: of any number of callers exactly one gets what it is for, before anything else about the
-- request is judged. A second use may be a thief's, or the first was: all that the code gave ends (RFC 6749 §4.1.2).
-- Nothing is told for a code that is unknown, expired or another client's.
create or replace function take_authorization_code(
  p_hash bytea,
  p_client uuid,
  out credential_id uuid,
  out user_id uuid,
  out scopes text[],
  out redirect_uri text,
  out code_challenge text
) returns setof record language plpgsql as $$
#variable_conflict use_column
begin
  return query
  update authorization_codes a
     set used_at = now()
    from credentials c
    join users u on u.id = c.user_id and u.disabled_at is null
   where a.hash = p_hash and a.used_at is null and a.expires_at > now()
     and c.id = a.credential_id and c.client_id = p_client and c.revoked_at is null
  returning c.id, c.user_id, c.scopes, a.redirect_uri, a.code_challenge;

  if not found then
    perform end_reused_credential(c.id, 'an authorization code')
       from authorization_codes a
       join credentials c on c.id = a.credential_id and c.client_id = p_client
      where a.hash = p_hash and a.used_at is not null;
  end if;
end $$;
