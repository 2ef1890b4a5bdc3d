-- A person allows a client to act for them: the row that all its tokens hang on, logged in each of the person's teams.
-- It ends with the code that leads to it, until tokens are handed out.
create or replace function allow_client(p_actor actor, p_client uuid, p_scopes text[], p_expires_at timestamptz) returns uuid
language plpgsql as $$
declare
  v_id uuid;
begin
  insert into credentials (kind, user_id, client_id, scopes, expires_at)
  values ('oauth2', p_actor.user_id, p_client, p_scopes, p_expires_at)
  returning id into v_id;

  perform record_audit_in_teams(p_actor, p_actor.user_id, 'authorization.created', 'authorization', v_id,
            changed_fields('{}', jsonb_build_object('client', o.name, 'scopes', p_scopes)))
     from oauth_clients o
    where o.id = p_client;
  return v_id;
end $$;
