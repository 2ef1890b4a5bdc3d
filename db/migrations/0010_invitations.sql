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
-- A person who accepts shows the token alone, and belongs to no team yet.
create unique index invitations_token on invitations (token_hash);
create unique index invitations_pending on invitations (team_id, lower(email)) where state = 'pending';
create index invitations_ended on invitations (coalesce(accepted_at, revoked_at, expires_at));
