-- Figures of the attempts to reach webhook endpoints, by hour.

-- What a batch of results adds to the figures. Writers append, and wait for nobody; a worker folds that each second into the table
-- below. A figure is both together, read in one statement. No foreign key: it would lock the endpoint's row with each batch.
create table webhook_attempt_changes (
  team_id uuid not null,
  endpoint_id uuid not null,
  id uuid not null default uuidv7(),
  -- In which the attempts started (UTC).
  hour timestamptz not null,
  -- The outcome and duration of each attempt, as one number (db/src/webhooks/attempt-codes.ts).
  codes smallint[] not null,
  primary key (team_id, endpoint_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create table webhook_attempt_hours (
  team_id uuid not null,
  endpoint_id uuid not null,
  hour timestamptz not null,
  succeeded int not null,
  -- Failed attempts that another one follows.
  retried int not null,
  -- Failed attempts, by cause.
  bad_responses int not null,
  timeouts int not null,
  connection_errors int not null,
  interrupted int not null,
  -- How many attempts are in each bucket of durations, from the first bucket to the last one that has any.
  latency_counts int[] not null,
  primary key (team_id, endpoint_id, hour),
  foreign key (team_id, endpoint_id) references webhook_endpoints on delete cascade
) with (fillfactor = 50);
-- For the deletion of what is past its days.
create index webhook_attempt_hours_hour on webhook_attempt_hours (hour);

do $$
declare
  v_table text;
begin
  foreach v_table in array array['webhook_attempt_changes', 'webhook_attempt_hours'] loop
    execute format('alter table %I enable row level security', v_table);
    execute format(
      'create policy one_team on %I to earshot_app using (team_id = nullif(current_setting(''earshot.team_id'', true), '''')::uuid)', v_table);
    execute format('create policy every_team on %I to earshot_worker using (true)', v_table);
  end loop;
end $$;
