-- How long a team keeps payloads of events; and events whose payload was removed before they are dropped with their day.

alter table teams
  add column payload_retention_days smallint not null default 30 check (payload_retention_days between 1 and 30),
  -- The last event that the job has passed: none up to it has a payload.
  add column payloads_removed_to uuid;
-- For the job: few teams keep payloads for less than the days of the events.
create index teams_payload_retention on teams (id) where payload_retention_days < 30;

-- The row and its hash stay. Nothing else changes a row of events.
alter table events
  alter column payload drop not null,
  add column expunged_at timestamptz(3);

-- The deliveries of an event are found by their time, which is that of the event, except those that were sent again. Partial, so
-- that other deliveries do not pay for it. 0031 does the same for the finished ones.
create index webhook_deliveries_sent_again on webhook_deliveries (team_id, event_id) where trigger <> 'auto';
