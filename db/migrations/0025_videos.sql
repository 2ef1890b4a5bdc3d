-- Videos: their upload, their transcode and the draft of their submission.

create table videos (
  team_id uuid not null,
  project_id uuid not null,
  id uuid not null default uuidv7(),
  state text not null default 'reserved'
    check (state in ('reserved', 'uploading', 'uploaded', 'transcoding', 'ready', 'failed', 'expired')),
  channel text not null check (channel in ('public', 'api', 'mcp', 'dashboard')),
  file_name text not null,
  content_type text not null,
  -- Null while the length is deferred.
  size_bytes int check (size_bytes > 0),
  max_bytes int not null check (max_bytes > 0),
  -- The upload. The parts below reach up to the offset, without gaps.
  offset_bytes int not null default 0 check (offset_bytes between 0 and coalesce(size_bytes, max_bytes)),
  -- SHA-256 of the token that the uploader sends.
  token_hash bytea not null,
  upload_until timestamptz(3) not null,
  -- The fence: only the holder of the newest lease moves the offset, even after its time.
  lease_number int not null default 0,
  leased_until timestamptz(3),
  -- The transcode. Only the worker of the newest attempt ends it, and another one begins when its lease is over.
  uploaded_at timestamptz(3),
  attempt int not null default 0,
  failed_attempts int not null default 0,
  progress real,
  duration_ms int,
  width int,
  height int,
  clip_key text,
  clip_bytes int,
  poster_key text,
  poster_bytes int,
  -- Until when the original is kept; null if it is gone, or needed.
  original_until timestamptz(3),
  error_code text,
  error_detail text,
  -- The draft.
  title text,
  body text not null default '',
  rating smallint check (rating between 1 and 5),
  author_name text,
  author_email text,
  author_title text,
  author_company text,
  author_website_url text,
  consent_granted boolean not null default false,
  consent_text text,
  consent_granted_at timestamptz(3),
  language text,
  metadata jsonb not null default '{}',
  submission_id uuid,
  submitted_at timestamptz(3),
  created_by uuid,
  deleted_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, project_id, id),
  check (size_bytes <= max_bytes)
);
create trigger videos_routes_added after insert on videos
  referencing new table as added for each statement execute function add_key_routes();
create trigger videos_routes_removed after delete on videos
  referencing old table as removed for each statement execute function remove_key_routes();
create index videos_state on videos (team_id, project_id, state, id desc);
-- Whose turn it is: the oldest of each team.
create index videos_waiting on videos (team_id, uploaded_at) where state = 'uploaded' and deleted_at is null;
create index videos_transcoding on videos (leased_until) where state = 'transcoding';
create index videos_expiring on videos (upload_until) where state in ('reserved', 'uploading');
create index videos_expired on videos (upload_until) where state = 'expired' and submission_id is null;
create index videos_originals on videos (original_until) where original_until is not null;
create index videos_author_email on videos (team_id, lower(author_email)) where author_email is not null;
create index videos_deleted on videos (deleted_at) where deleted_at is not null;

-- What has arrived of a file: blobs that are never changed.
create table video_parts (
  team_id uuid not null,
  project_id uuid not null,
  video_id uuid not null,
  first_byte int not null check (first_byte >= 0),
  size_bytes int not null check (size_bytes > 0),
  key text not null,
  primary key (team_id, project_id, video_id, first_byte),
  foreign key (team_id, project_id, video_id) references videos on delete cascade
);

create table video_captions (
  team_id uuid not null,
  project_id uuid not null,
  video_id uuid not null,
  id uuid not null default uuidv7(),
  language text not null,
  label text not null,
  -- WebVTT. It is small, and so needs no blob.
  vtt text not null,
  primary key (team_id, project_id, video_id, id),
  unique (team_id, project_id, video_id, language),
  foreign key (team_id, project_id, video_id) references videos on delete cascade
);

-- When a team's turn was to have a video transcoded: the team that was served longest ago comes next.
create table transcode_turns (
  team_id uuid primary key references teams on delete cascade,
  served_at timestamptz(3) not null
);

-- Whatever deletes a row, a job deletes its blobs: they are noted in the same transaction.
create function discard_video_blobs() returns trigger
language plpgsql as $$
begin
  if tg_table_name = 'video_parts' then
    insert into unused_blobs (team_id, key)
    select r.team_id, r.key
      from removed r
    on conflict (team_id, key) do update set delete_at = now();
  else
    insert into unused_blobs (team_id, key)
    select r.team_id, k.key
      from removed r
     cross join unnest(array[r.clip_key, r.poster_key]) k (key)
     where k.key is not null
    on conflict (team_id, key) do update set delete_at = now();
  end if;
  return null;
end $$;
create trigger video_parts_discarded after delete on video_parts
  referencing old table as removed for each statement execute function discard_video_blobs();
create trigger videos_discarded after delete on videos
  referencing old table as removed for each statement execute function discard_video_blobs();
