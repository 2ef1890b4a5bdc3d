-- What changed in the submissions of each project, for those who may read them: ids and states alone. Beside the change feed of
-- events, because most changes are no event, and because a project's readers may know nothing of the rest of the team.

-- What a worker still has to number. A row lives for a tenth of a second. Vacuumed often, because every look reads the whole table.
create table submission_feed_waiting (
  team_id uuid not null,
  project_id uuid not null,
  submission_id uuid not null,
  kind text not null,
  -- After the change: one of the states of submissions, or deleted.
  state text not null,
  -- created, approved, rejected, updated or deleted.
  change text not null,
  -- When it was made: the order of the changes of one submission, whose row only one transaction at a time can change.
  changed_at timestamptz not null default clock_timestamp()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
-- So that a batch reads itself alone, not all that waits after a long absence of workers. A write pays a microsecond for it.
create index submission_feed_waiting_oldest on submission_feed_waiting (changed_at);

-- As in the feed of events, positions begin with their time, and each names the one before it in its project.
create table submission_feed (
  team_id uuid not null,
  project_id uuid not null,
  position bigint not null,
  previous_position bigint not null,
  submission_id uuid not null,
  kind text not null,
  state text not null,
  change text not null,
  changed_at timestamptz not null,
  primary key (team_id, project_id, position)
) partition by range (position);
-- For the planner, as for feed_positions: a generic plan for the average project would sort a large one's day.
alter table submission_feed
  alter column team_id set (n_distinct = 10),
  alter column project_id set (n_distinct = 10);

-- The last position of each project. An update touches no index and finds room on its page. No foreign key: what a purged project
-- left to number must not hold up the others.
create table submission_feed_ends (
  team_id uuid not null,
  project_id uuid not null,
  position bigint not null,
  primary key (team_id, project_id)
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0.02);

-- The last position of all projects.
create sequence submission_feed_position;
grant update on sequence submission_feed_position to earshot_worker;

-- Whatever changes a submission is told of, by whichever statement. A record that was deleted before is gone already.
create function note_submission_feed() returns trigger
language plpgsql
-- The plan of a connection's first call is kept for tables of transition of any size: a nested loop, good for the one row that
-- most calls have, would compare each of 5,000 rows with all others.
set enable_nestloop = off
as $$
begin
  if tg_op = 'INSERT' then
    insert into submission_feed_waiting (team_id, project_id, submission_id, kind, state, change)
    select a.team_id, a.project_id, a.id, a.kind, a.state, 'created'
      from added a
     where a.deleted_at is null;
  else
    insert into submission_feed_waiting (team_id, project_id, submission_id, kind, state, change)
    select a.team_id, a.project_id, a.id, a.kind,
           case when a.deleted_at is null then a.state else 'deleted' end,
           case when a.deleted_at is not null then 'deleted' when a.state <> r.state then a.state else 'updated' end
      from added a
      join removed r on r.team_id = a.team_id and r.project_id = a.project_id and r.id = a.id
     where (a.deleted_at is null or r.deleted_at is null)
       -- The rows as a whole only where their times are equal: two changes within a millisecond, or none at all.
       and (a.updated_at <> r.updated_at or a.deleted_at is distinct from r.deleted_at or a *<> r);
  end if;
  return null;
end $$;
create trigger submissions_told after insert on submissions
  referencing new table as added for each statement execute function note_submission_feed();
create trigger submissions_retold after update on submissions
  referencing old table as removed new table as added for each statement execute function note_submission_feed();

do $$
declare
  v_table text;
begin
  foreach v_table in array array['submission_feed_waiting', 'submission_feed', 'submission_feed_ends'] loop
    execute format('alter table %I enable row level security', v_table);
    execute format(
      'create policy one_team on %I to earshot_app using (team_id = nullif(current_setting(''earshot.team_id'', true), '''')::uuid)', v_table);
    execute format('create policy every_team on %I to earshot_worker using (true)', v_table);
  end loop;
end $$;
