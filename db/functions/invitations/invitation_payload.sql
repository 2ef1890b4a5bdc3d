-- An invitation as the API shows it (contracts/src/invitations.ts); a test holds the two equal.
create or replace function invitation_payload(i invitations) returns json
language sql stable as $$
  select json_build_object(
    'id', i.id,
    'email', i.email,
    'role', i.role,
    'state', invitation_state(i.state, i.expires_at),
    'invited_by', (select team_user_payload(u) from users u where u.id = i.invited_by),
    'expires_at', iso_timestamp(i.expires_at),
    'accepted_at', iso_timestamp(i.accepted_at),
    'created_at', iso_timestamp(uuid_extract_timestamp(i.id)),
    'updated_at', iso_timestamp(i.updated_at)
  )
$$;
