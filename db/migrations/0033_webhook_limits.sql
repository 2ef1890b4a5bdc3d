-- A limit for each webhook endpoint: how many deliveries it gets a second, of all workers together.

-- Null for no limit.
alter table webhook_endpoints add column max_per_second int check (max_per_second between 1 and 1000);

-- When the next delivery to an endpoint with a limit may be sent, by the generic cell rate algorithm (ITU-T I.371). A row of its own:
-- each claim for the endpoint writes it, up to 25 times a second for each worker. Beside a long reader all its versions stay, and the
-- row of the endpoint is read with each event.
create table webhook_limits (
  team_id uuid not null,
  endpoint_id uuid not null,
  next_send_at timestamptz not null default now(),
  primary key (team_id, endpoint_id),
  foreign key (team_id, endpoint_id) references webhook_endpoints on delete cascade
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

alter table webhook_limits enable row level security;
create policy one_team on webhook_limits to earshot_app using (team_id = nullif(current_setting('earshot.team_id', true), '')::uuid);
create policy every_team on webhook_limits to earshot_worker using (true);
