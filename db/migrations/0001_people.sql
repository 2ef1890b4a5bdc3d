-- Who there is: users, what they sign in with, and their teams.
-- Ids are UUIDv7; created_at is read from the id, so the two can never disagree and no index on time is needed.
-- The id takes its time from the clock, not from the transaction, and so does updated_at: it is never the earlier one.

alter default privileges in schema public grant select, insert, update, delete on tables to earshot_app, earshot_worker;
alter default privileges in schema public grant usage, select on sequences to earshot_app, earshot_worker;

-- The lowest UUIDv7 of an instant: turns bounds in time into bounds on ids.
create function uuid_at(p_at timestamptz) returns uuid
language sql immutable parallel safe as $$
  select encode(
    substring(int8send(greatest(0, floor(extract(epoch from p_at) * 1000))::bigint) from 3) || '\x70008000000000000000'::bytea,
    'hex'
  )::uuid
$$;

-- Who does a thing, for the audit log.
create type actor as (
  user_id uuid,
  credential_id uuid,
  credential_kind text,
  ip inet
);

-- The plans of the contracts, written at every start, so that one statement can judge and count.
create table plans (
  name text primary key,
  api_access boolean not null,
  features text[] not null,
  quotas jsonb not null
);

create table users (
  id uuid primary key default uuidv7(),
  email text not null,
  name text not null,
  password_hash text,
  avatar_url text,
  locale text not null default 'en',
  timezone text not null default 'UTC',
  email_verified_at timestamptz(3),
  mfa_enabled_at timestamptz(3),
  disabled_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual
);
create unique index users_email on users (lower(email));

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

-- Personal access tokens, OAuth2 access tokens, JWT logins and sessions: only hashes.
create table credentials (
  id uuid primary key default uuidv7(),
  kind text not null check (kind in ('pat', 'oauth2', 'jwt', 'session')),
  hash bytea not null,
  user_id uuid not null references users on delete cascade,
  parent_id uuid references credentials on delete cascade,
  name text,
  hint text,
  scopes text[] not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual
);
create unique index credentials_hash on credentials (hash);
create index credentials_user on credentials (user_id, kind, id desc) where revoked_at is null;
create index credentials_parent on credentials (parent_id) where parent_id is not null;
create index credentials_revoked on credentials (revoked_at) where revoked_at is not null;
