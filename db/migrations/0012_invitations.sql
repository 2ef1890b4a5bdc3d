-- Invitations to a team, by e-mail. The link's token is kept as a hash; sending it again replaces it, so that one link works.

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
-- Who accepts shows the token alone, and belongs to no team yet.
create unique index invitations_token on invitations (token_hash);
create unique index invitations_pending on invitations (team_id, lower(email)) where state = 'pending';
create index invitations_ended on invitations (coalesce(accepted_at, revoked_at, expires_at));

alter table invitations enable row level security;
create policy one_team on invitations to earshot_app using (team_id = nullif(current_setting('earshot.team_id', true), '')::uuid);
create policy every_team on invitations to earshot_worker using (true);
