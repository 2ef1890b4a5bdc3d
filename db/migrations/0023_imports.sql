-- Imports: files whose rows become records.

create table imports (
  team_id uuid not null,
  project_id uuid not null,
  id uuid not null default uuidv7(),
  state text not null check (state in ('reserved', 'uploaded', 'running', 'completed', 'failed', 'undone')),
  target text not null check (target = 'testimonials'),
  file_name text not null,
  size_bytes int,
  -- Of the file in the blob store; null if the request brought it, until it was uploaded, and once nothing will read it again.
  file_key text,
  -- Until when the file is kept, or waited for, while the import does not run; null if nothing is kept.
  file_until timestamptz(3),
  mapping jsonb not null,
  date_order text check (date_order in ('dmy', 'mdy')),
  consent jsonb,
  rating_scale smallint check (rating_scale in (5, 10, 100)),
  -- Null until the file was read, unless the request says it.
  dedupe_by text check (dedupe_by in ('external_id', 'email+body', 'none')),
  mode text not null check (mode in ('create', 'upsert')),
  dry_run boolean not null,
  suppress_events boolean not null,
  -- What was recognized from the file, before its first row is read.
  encoding text,
  delimiter text,
  columns text[],
  preset text,
  preview jsonb,
  -- Up to where it was read, in rows (the header included), bytes of UTF-8 and lines.
  read_records int not null default 0,
  -- Not bigint, which comes as text: exact up to 2^53.
  read_bytes double precision not null default 0,
  read_lines int not null default 0,
  row_count int not null default 0,
  created_count int not null default 0,
  updated_count int not null default 0,
  skipped_count int not null default 0,
  failed_count int not null default 0,
  removed_count int not null default 0,
  -- The last record that undoing it looked at.
  undone_until uuid,
  -- When the last of its deliveries is due: an import leaves room for others.
  paced_until timestamptz(3),
  -- What it used of the quota in the month in which it last did.
  charged_period date,
  charged_units int not null default 0,
  error_code text,
  error_detail text,
  created_by uuid,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, project_id, id),
  foreign key (team_id, project_id) references projects on delete cascade
);

-- Files that came with their request.
create table import_files (
  team_id uuid not null,
  project_id uuid not null,
  import_id uuid not null,
  bytes bytea not null,
  primary key (team_id, project_id, import_id),
  foreign key (team_id, project_id, import_id) references imports on delete cascade
);

-- Rows that failed.
create table import_rows (
  team_id uuid not null,
  project_id uuid not null,
  import_id uuid not null,
  id uuid not null default uuidv7(),
  row_number int not null,
  line int not null,
  column_name text,
  code text not null,
  detail text not null,
  row_text text not null,
  -- In lower case: the rows of a person are found by it.
  author_email text,
  primary key (team_id, project_id, import_id, id),
  foreign key (team_id, project_id, import_id) references imports on delete cascade
);

-- Blobs that nothing refers to, or will not from this time on if the upload that announced them never ends. A job deletes them.
create table unused_blobs (
  team_id uuid not null,
  key text not null,
  delete_at timestamptz(3) not null default now(),
  primary key (team_id, key)
);
create index unused_blobs_due on unused_blobs (delete_at);

create index imports_files on imports (file_until) where file_until is not null;
-- What an import created: to list it, and to remove it again.
create index submissions_import on submissions (team_id, project_id, import_id, id desc) where import_id is not null;
-- The same words of the same person.
create index submissions_words on submissions (team_id, project_id, hashtextextended(lower(author_email) || E'\n' || body, 0))
  where author_email is not null and deleted_at is null;
