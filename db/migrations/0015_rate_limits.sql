-- Rate limits, and addresses that exceeded them.

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
  blocked_seconds int,
  version text
);

-- Addresses that exceeded limits of the public plane again and again; lost in a crash, like the counters.
create unlogged table abuse_blocks (
  address text primary key,
  violations timestamptz[] not null default '{}',
  blocks int not null default 0,
  blocked_until timestamptz,
  created_at timestamptz not null default now()
);
