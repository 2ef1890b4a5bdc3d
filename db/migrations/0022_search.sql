-- Search (db/src/search/): which records of a list contain which parts of words. A worker writes it; it only ever proposes records,
-- whose own text then decides.

-- A list that people search: the submissions of a project, or the responses to a survey.
create table search_lists (
  team_id uuid not null,
  project_id uuid not null,
  -- The project for its submissions, else the survey.
  list_id uuid not null,
  -- The newest record of the newest segment; null before the first one.
  indexed_id uuid,
  -- Changes with the segments, so that a worker notices the work of another one.
  version int not null default 0,
  -- When to look for new records; null while none has come.
  due_at timestamptz(3),
  primary key (team_id, project_id, list_id),
  foreign key (team_id, project_id) references projects on delete cascade
) with (fillfactor = 50);
create index search_lists_due on search_lists (due_at) where due_at is not null;

-- Records of a list that follow each other.
create table search_segments (
  team_id uuid not null,
  project_id uuid not null,
  list_id uuid not null,
  oldest_id uuid not null,
  newest_id uuid not null,
  record_count int not null check (record_count > 0),
  -- Of its records, newest first: 16 bytes each.
  ids bytea not null,
  -- Slices, each of one bit per record in that order, filled up to whole bytes: whether the record contains a gram of this slice.
  bits bytea not null,
  -- It may hold traces of records that are removed for good.
  is_stale boolean not null default false,
  primary key (team_id, project_id, list_id, oldest_id),
  foreign key (team_id, project_id, list_id) references search_lists on delete cascade
);
-- Not compressed: substring() then reads a slice without the others.
alter table search_segments alter ids set storage external, alter bits set storage external;
