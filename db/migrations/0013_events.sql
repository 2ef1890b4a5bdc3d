-- Events: the body that receivers get, and its place in the change feed. Partitioned by day through the id (a UUIDv7 begins
-- with its time), so that retention drops partitions instead of deleting rows.

create table events (
  team_id uuid not null,
  id uuid not null default uuidv7(),
  project_id uuid,
  type text not null,
  -- Text, not jsonb: these very bytes are signed and sent.
  payload text not null,
  payload_sha256 text not null,
  feed_position bigint,
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, id)
) partition by range (id);
-- Partial, so that writing an event does not touch them: the worker that numbers it does.
create index events_feed on events (team_id, feed_position) where feed_position is not null;
create index events_feed_by_type on events (team_id, type, feed_position) where feed_position is not null;
create index events_unnumbered on events (id) where feed_position is null;
create sequence event_feed_position;
