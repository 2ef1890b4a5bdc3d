-- A user as others on the team see it (TeamUser in contracts/src/schemas/profile.ts).
create or replace function team_user_payload(u users) returns jsonb
language sql stable as $$
  select jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email, 'avatar_url', u.avatar_url)
$$;
