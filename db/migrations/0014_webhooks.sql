-- Webhook endpoints, with the deliveries of events to them, their attempts, replays and workers.

create table webhook_endpoints (
  team_id uuid not null references teams on delete cascade,
  id uuid not null default uuidv7(),
  project_id uuid,
  url text not null,
  description text,
  events text[] not null,
  state text not null default 'active' check (state in ('active', 'paused', 'disabled')),
  disabled_reason text,
  secret text not null,
  secret_hint text not null,
  previous_secret text,
  previous_secret_expires_at timestamptz(3),
  -- Registered from this machine during the local trial: it may be a loopback address.
  local_trial boolean not null default false,
  consecutive_failures int not null default 0,
  last_success_at timestamptz(3),
  failing_since timestamptz(3),
  -- Failed deliveries since the last success; consecutive_failures is their number.
  first_failed_at timestamptz(3),
  last_failed_at timestamptz(3),
  deleted_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, id),
  foreign key (team_id, project_id) references projects on delete cascade
);
create index webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null;

-- Unfinished deliveries alone, so that the table stays small: what ended lies in webhook_delivery_history. No foreign key to
-- the endpoint or the event: both are purged by jobs of their own.
create table webhook_deliveries (
  team_id uuid not null,
  id uuid not null default uuidv7(),
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  payload_sha256 text not null,
  state text not null default 'pending' check (state in ('pending', 'sending')),
  trigger text not null default 'auto' check (trigger in ('auto', 'manual', 'replay', 'test')),
  attempt_count smallint not null default 0,
  next_attempt_at timestamptz default now(),
  -- Due, but nothing may be sent to its endpoint now; out of the indexes of due deliveries until that changes.
  is_held boolean not null default false check (state = 'pending' or not is_held),
  attempt_id uuid,
  worker_id int,
  lease_until timestamptz,
  replay_of uuid,
  replay_id uuid,
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  -- In the order of the endpoint's list.
  primary key (team_id, endpoint_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02);
-- Two indexes of what is due: in the order it is due, to see whether there is anything; by endpoint, to share slots fairly.
-- A plan that was made while the table was empty cannot tell one from the other, so each has a condition (always true) that
-- only the statements of its order name.
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at)
  where state = 'pending' and not is_held and attempt_count >= 0;
create index webhook_deliveries_due_by_endpoint on webhook_deliveries (team_id, endpoint_id, next_attempt_at)
  where state = 'pending' and not is_held and attempt_count <= 32767;
create index webhook_deliveries_sending on webhook_deliveries (worker_id) where state = 'sending';
-- Partial, so that other deliveries do not pay for them.
create index webhook_deliveries_held on webhook_deliveries (team_id, endpoint_id) where is_held;
create index webhook_deliveries_replay on webhook_deliveries (team_id, endpoint_id, replay_id, id desc) where replay_id is not null;

-- Finished deliveries. Partitioned by day, as events are, and dropped with their day.
create table webhook_delivery_history (
  team_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  payload_sha256 text not null,
  state text not null check (state in ('succeeded', 'failed', 'skipped')),
  trigger text not null check (trigger in ('auto', 'manual', 'replay', 'test')),
  attempt_count smallint not null,
  attempt_id uuid,
  replay_of uuid,
  replay_id uuid,
  finished_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, endpoint_id, id)
) partition by range (id);
create index webhook_delivery_history_replay on webhook_delivery_history (team_id, endpoint_id, replay_id, id desc)
  where replay_id is not null;

-- Both as one, for lists and lookups. With the rights of who reads it, so that the policies hold.
create view all_webhook_deliveries with (security_invoker = true) as
  select team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count, next_attempt_at,
         attempt_id, worker_id, lease_until, replay_of, replay_id, null::timestamptz(3) as finished_at, updated_at, created_at
    from webhook_deliveries
  union all
  select team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count, null,
         attempt_id, null, null, replay_of, replay_id, finished_at, updated_at, created_at
    from webhook_delivery_history;

-- Partitioned by day, as events are.
create table webhook_attempts (
  team_id uuid not null,
  id uuid not null default uuidv7(),
  delivery_id uuid not null,
  endpoint_id uuid not null,
  number smallint not null,
  trigger text not null,
  worker_id int not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  duration_ms int,
  remote_ip text,
  status_code smallint,
  response_headers jsonb,
  response_body bytea,
  response_body_truncated boolean not null default false,
  -- Of the whole body, where known.
  response_body_bytes bigint,
  error_code text,
  error_detail text,
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, id)
) partition by range (id);
create index webhook_attempts_endpoint on webhook_attempts (team_id, endpoint_id, id desc);
create index webhook_attempts_delivery on webhook_attempts (team_id, delivery_id, id desc);
-- As for deliveries; here the planner walks the days' indexes instead of sorting.
create statistics webhook_attempts_owner (dependencies) on team_id, endpoint_id from webhook_attempts;

-- Replays in progress: which events an endpoint gets once more, and how far the job has come. The last batch deletes the row.
create table webhook_replays (
  team_id uuid not null,
  id uuid not null default uuidv7(),
  endpoint_id uuid not null,
  -- The endpoint's filters when the replay began; null for any.
  project_id uuid,
  types text[],
  -- Both exclusive.
  after_event_id uuid not null,
  before_event_id uuid not null,
  -- Deliveries still to be made.
  remaining int not null,
  primary key (team_id, id),
  -- One at a time.
  unique (team_id, endpoint_id),
  foreign key (team_id, endpoint_id) references webhook_endpoints on delete cascade
);

-- A worker is alive while it holds its advisory lock or keeps its heartbeat fresh.
create table webhook_workers (
  id int generated always as identity primary key,
  -- The name by which it locks jobs of the queue.
  job_pool_id text,
  seen_at timestamptz not null default now(),
  -- Since when its heartbeats have come without a break, over one connection.
  steady_since timestamptz not null default now(),
  started_at timestamptz not null default now()
);
