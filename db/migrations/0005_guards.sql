-- Limits on callers, and records of what they did.

-- Counters of fixed windows. Unlogged: a commit that touched only this table waits for no flush; a crash empties it.
create unlogged table rate_windows (
  subject text primary key,
  window_start timestamptz not null,
  used int not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- How the requests of one subject were counted in a batch; see public_access().
create type request_count as (
  subject text,
  address text,
  used_before int,
  granted int,
  reset_seconds int,
  blocked_seconds int,
  is_violation boolean
);

-- What a request of the public plane may do, and where; see public_access().
create type public_access_row as (
  number int,
  team_id uuid,
  project_id uuid,
  public_count int,
  rated_count int,
  rating_sum int,
  used int,
  reset_seconds int,
  blocked_seconds int
);

-- Addresses that exceeded limits of the public plane again and again; lost in a crash, like the counters.
create unlogged table abuse_blocks (
  address text primary key,
  violations timestamptz[] not null default '{}',
  blocks int not null default 0,
  blocked_until timestamptz,
  created_at timestamptz not null default now()
);

-- Where a team stands in a monthly quota; see consume_quota().
create type quota_status as (
  used int,
  max int,
  resets_at timestamptz
);

create table quota_usage (
  team_id uuid not null references teams on delete cascade,
  quota text not null,
  period date not null,
  used int not null,
  primary key (team_id, quota, period)
) with (fillfactor = 50);

-- A key belongs to its caller: a credential, or an address on the public plane. Inserted first in the work's own
-- transaction, so that parallel callers wait on the unique index and a crash leaves nothing behind.
create table idempotency_keys (
  caller text not null,
  key text not null,
  request_hash bytea not null,
  result text,
  created_at timestamptz not null default now(),
  primary key (caller, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

create table audit_entries (
  team_id uuid not null,
  id uuid not null default uuidv7(),
  project_id uuid,
  actor_user_id uuid,
  credential_id uuid,
  credential_kind text,
  ip inet,
  action text not null,
  target_type text not null,
  target_id uuid,
  changes jsonb not null default '{}',
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, id)
) partition by range (id);
