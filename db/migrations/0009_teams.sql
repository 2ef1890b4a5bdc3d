-- Teams, their plans and their members.

-- The plans of the contracts, written at every start, so that one statement can authorize and count.
create table plans (
  name text primary key,
  api_access boolean not null,
  features text[] not null,
  quotas jsonb not null
);

create table teams (
  id uuid primary key default uuidv7(),
  name text not null,
  slug text not null,
  plan text not null references plans,
  nps_low_score_threshold smallint not null,
  cors_origins text[] not null,
  locale text not null,
  created_by uuid references users on delete set null,
  deleted_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual
);
create unique index teams_slug on teams (slug) where deleted_at is null;
create index teams_created_by on teams (created_by);
create index teams_deleted on teams (deleted_at) where deleted_at is not null;

create table memberships (
  team_id uuid not null references teams on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  joined_at timestamptz(3) not null default now(),
  primary key (team_id, user_id)
);
create index memberships_user on memberships (user_id, team_id);
