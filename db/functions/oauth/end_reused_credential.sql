-- Ends a credential whose refresh token or code was used twice, with all that it issued: one of the two callers is a thief, and
-- nobody can tell which (RFC 9700 §4.14.2). The audit log of each of the owner's teams records it, once.
create or replace function end_reused_credential(p_credential uuid, p_what text) returns void
language plpgsql as $$
declare
  v_credential credentials;
begin
  update credentials
     set revoked_at = now(), updated_at = now()
   where id = p_credential and revoked_at is null
  returning * into v_credential;

  if found then
    perform record_audit_in_teams(
      row(v_credential.user_id, v_credential.id, v_credential.kind, null)::actor,
      v_credential.user_id,
      kind.noun || '.deleted',
      kind.noun,
      v_credential.id,
      jsonb_build_object('reason', p_what || ' was used twice')
    )
      from (select case v_credential.kind when 'oauth2' then 'authorization' else 'session' end as noun) kind;
  end if;
end $$;
