-- Events: the body that receivers get. Partitioned by day through the id (a UUIDv7 begins with its time), so that retention
-- drops partitions instead of deleting rows. A row is never updated.

create table events (
  team_id uuid not null,
  id uuid not null default uuidv7(),
  project_id uuid,
  type text not null,
  -- Text, not jsonb: these very bytes are signed and sent.
  payload text not null,
  payload_sha256 text not null,
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, id)
) partition by range (id);

-- The change feed: which events a worker still has to number, and the positions that it gave.

-- Without an index: a row lives for a tenth of a second, and emitting an event must stay cheap. Vacuumed often, because every
-- look reads the whole table.
create table unnumbered_events (
  team_id uuid not null,
  event_id uuid not null,
  type text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The lowest position of an instant. Positions begin with their time, so that they are partitioned by day, a reader at the
-- end of the feed reads one partition, and a database that was restored gives no position twice.
create function feed_position_at(p_at timestamptz) returns bigint
language sql immutable parallel safe as $$
  select greatest(0, floor(extract(epoch from p_at) * 1000))::bigint << 20
$$;

create table feed_positions (
  team_id uuid not null,
  position bigint not null,
  -- The position before it in the team's feed; 0 for none. Shows whether a cursor has missed events that were dropped.
  previous_position bigint not null,
  event_id uuid not null,
  type text not null,
  primary key (team_id, position)
) partition by range (position);
create index feed_positions_by_type on feed_positions (team_id, type, position);
-- For the planner, a tenth of a day is one team's: a generic plan for the average team would sort a large one's day.
alter table feed_positions alter column team_id set (n_distinct = 10);
-- And a type is a part of it, also while all events are of one: else it would take the index without the type, and look for one
-- that never came among all events of the team.
alter table feed_positions alter column type set (n_distinct = 11);

-- The last position of each team. An update touches no index and finds room on its page.
create table feed_ends (
  team_id uuid primary key,
  position bigint not null
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0.02);

-- Days with events that were numbered on a later day, and the last position of those: as long as it is kept, so is the day.
create table feed_late_days (
  day date primary key,
  last_position bigint not null
);

-- The last position of all teams.
create sequence feed_position;
grant update on sequence feed_position to earshot_worker;
