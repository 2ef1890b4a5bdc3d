-- Invitations to a team, by e-mail. The link's token is stored as a hash; resending replaces it, so that one link works.

create table invitations (
  team_id uuid not null references teams on delete cascade,
  id uuid not null default uuidv7(),
  email text not null,
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  token_hash bytea not null,
  -- Still pending after expires_at, until another invitation of the same address takes its place.
  state text not null default 'pending' check (state in ('pending', 'accepted', 'revoked', 'expired')),
  invited_by uuid references users on delete set null,
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  accepted_by uuid references users on delete set null,
  revoked_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, id)
);
create unique index invitations_pending on invitations (team_id, lower(email)) where state = 'pending';
create index invitations_ended on invitations (coalesce(accepted_at, revoked_at, expires_at));

create trigger invitations_routes_added after insert on invitations
  referencing new table as added for each statement execute function add_key_routes();
create trigger invitations_routes_removed after delete on invitations
  referencing old table as removed for each statement execute function remove_key_routes();

create function move_invitation_route() returns trigger
language plpgsql as $$
begin
  update key_routes set key_hash = new.token_hash where key_hash = old.token_hash;
  return null;
end $$;
create trigger invitations_route_moved after update of token_hash on invitations
  for each row when (new.token_hash <> old.token_hash) execute function move_invitation_route();
