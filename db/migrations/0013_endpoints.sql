-- What disables an endpoint that has been failing for days: when its deliveries failed since the last success. Their number
-- is consecutive_failures.
alter table webhook_endpoints
  add column first_failed_at timestamptz(3),
  add column last_failed_at timestamptz(3);

-- Replays that a job still works on: which events go to an endpoint once more, and how far it has come. The last batch
-- deletes the row.
create table webhook_replays (
  team_id uuid not null,
  id uuid not null default uuidv7(),
  endpoint_id uuid not null,
  -- As the endpoint's filters were when the replay began; null for any.
  project_id uuid,
  types text[],
  -- Both left out.
  after_event_id uuid not null,
  before_event_id uuid not null,
  primary key (team_id, id),
  foreign key (team_id, endpoint_id) references webhook_endpoints on delete cascade
);

alter table webhook_replays enable row level security;
create policy one_team on webhook_replays to earshot_app using (team_id = nullif(current_setting('earshot.team_id', true), '')::uuid);
create policy every_team on webhook_replays to earshot_worker using (true);

-- Partial: other deliveries do not pay for it.
create index webhook_deliveries_replay on webhook_deliveries (team_id, endpoint_id, replay_id, id desc) where replay_id is not null;
