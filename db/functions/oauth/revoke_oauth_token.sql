-- A client gives a token back (RFC 7009 §2.1): an access token ends alone, a refresh token with all that the client was allowed.
-- False: there is none, or it is another client's.
create or replace function revoke_oauth_token(p_hash bytea, p_client uuid, p_ip inet) returns boolean
language plpgsql as $$
declare
  v_credential credentials;
begin
  delete from access_tokens a
   using credentials c
   where a.hash = p_hash and c.id = a.credential_id and c.client_id = p_client;
  if found then
    return true;
  end if;

  update credentials c
     set revoked_at = now(), updated_at = now()
    from refresh_tokens r
   where r.hash = p_hash and c.id = r.credential_id and c.client_id = p_client and c.revoked_at is null
  returning c.* into v_credential;
  if not found then
    return false;
  end if;
  perform record_audit_in_teams(row(v_credential.user_id, v_credential.id, v_credential.kind, p_ip)::actor, v_credential.user_id,
            'authorization.deleted', 'authorization', v_credential.id);
  return true;
end $$;
