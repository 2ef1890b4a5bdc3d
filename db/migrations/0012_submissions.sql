-- Submissions, their tags and their fingerprints.

create table submissions (
  team_id uuid not null,
  project_id uuid not null,
  id uuid not null default uuidv7(),
  kind text not null check (kind in ('text', 'video', 'testimonial')),
  state text not null default 'pending' check (state in ('pending', 'approved', 'rejected')),
  channel text not null check (channel in ('public', 'api', 'mcp', 'import', 'dashboard')),
  title text,
  body text not null,
  rating smallint check (rating between 1 and 5),
  author_name text not null,
  author_email text,
  author_title text,
  author_company text,
  author_avatar_url text,
  author_website_url text,
  consent_granted boolean not null default false,
  consent_text text,
  consent_granted_at timestamptz(3),
  consent_revoked_at timestamptz(3),
  source_provider text,
  source_url text,
  source_collected_at timestamptz(3),
  language text,
  tags text[] not null default '{}',
  external_id text,
  metadata jsonb not null default '{}',
  video_id uuid,
  -- Kept by what changes the video: a video that cannot be watched is not public.
  video_is_ready boolean not null default false,
  import_id uuid,
  moderated_by uuid,
  moderated_at timestamptz(3),
  moderation_reason text,
  excerpt text,
  featured boolean not null default false,
  position double precision,
  revoke_token_hash bytea,
  -- The day of its arrival in the time zone that the team had then. Figures are by this day.
  day date not null default (now() at time zone 'UTC')::date,
  deleted_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  is_public boolean not null generated always as (
    state = 'approved' and consent_granted and consent_revoked_at is null and deleted_at is null and (kind <> 'video' or video_is_ready)
  ) stored,
  -- An index on the id alone would tempt the planner to walk it across all teams. No foreign key to the project:
  -- twenty writers would share a lock on its row, and the purge removes what a deleted project leaves.
  primary key (team_id, project_id, id)
);
-- Not `where deleted_at is null`: PostgreSQL does not use the statistics below for a partial index, takes it to hold a
-- handful of a project's records, and reads and sorts the whole project by it for a list without filters.
create index submissions_state on submissions (team_id, project_id, state, id desc);
create index submissions_kind on submissions (team_id, project_id, kind, id desc);
create index submissions_public on submissions (team_id, project_id, id desc) where is_public;
create unique index submissions_external_id on submissions (team_id, project_id, external_id) where external_id is not null and deleted_at is null;
create index submissions_deleted on submissions (deleted_at) where deleted_at is not null;
-- A project has one team: with this, the planner expects a project's many records and distinguishes the indexes.
create statistics submissions_owner (dependencies) on team_id, project_id from submissions;
create trigger submissions_routes_added after insert on submissions
  referencing new table as added for each statement execute function add_key_routes();
create trigger submissions_routes_removed after delete on submissions
  referencing old table as removed for each statement execute function remove_key_routes();

-- The tags again, as rows: a list by tag then walks one index, however rare the tag is.
create table submission_tags (
  team_id uuid not null,
  project_id uuid not null,
  tag text not null,
  submission_id uuid not null,
  primary key (team_id, project_id, tag, submission_id),
  foreign key (team_id, project_id, submission_id) references submissions on delete cascade
);
create index submission_tags_submission on submission_tags (team_id, project_id, submission_id);

create function keep_submission_tags() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from submission_tags t
     where t.team_id = new.team_id and t.project_id = new.project_id and t.submission_id = new.id
       and t.tag <> all (new.tags);
  end if;
  insert into submission_tags (team_id, project_id, tag, submission_id)
  select new.team_id, new.project_id, tag, new.id
    from unnest(new.tags) tag
  on conflict do nothing;
  return null;
end $$;
create trigger submissions_tags_inserted after insert on submissions
  for each row when (new.tags <> '{}') execute function keep_submission_tags();
create trigger submissions_tags_updated after update of tags on submissions
  for each row when (new.tags is distinct from old.tags) execute function keep_submission_tags();

-- The values in the metadata again, as rows: a list by one of them walks one index. Texts, numbers and booleans alone, and no more
-- than anybody filters by: a visitor can fill the metadata too.
create table submission_metadata (
  team_id uuid not null,
  project_id uuid not null,
  key text not null,
  value text not null,
  submission_id uuid not null,
  primary key (team_id, project_id, key, value, submission_id),
  foreign key (team_id, project_id, submission_id) references submissions on delete cascade
);
create index submission_metadata_submission on submission_metadata (team_id, project_id, submission_id);

create function keep_submission_metadata() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from submission_metadata m
     where m.team_id = new.team_id and m.project_id = new.project_id and m.submission_id = new.id;
  end if;
  insert into submission_metadata (team_id, project_id, key, value, submission_id)
  select new.team_id, new.project_id, m.key, m.value, new.id
    from jsonb_each_text(new.metadata) m
   where jsonb_typeof(new.metadata->m.key) in ('string', 'number', 'boolean') and char_length(m.value) <= 200
   order by m.key
   limit 50;
  return null;
end $$;
create trigger submissions_metadata_inserted after insert on submissions
  for each row when (new.metadata <> '{}') execute function keep_submission_metadata();
create trigger submissions_metadata_updated after update of metadata on submissions
  for each row when (new.metadata is distinct from old.metadata) execute function keep_submission_metadata();

-- How many submissions have a tag, without deleted ones: totals, and the changes that no worker has folded into them yet.
create table tag_totals (
  team_id uuid not null,
  project_id uuid not null,
  tag text not null,
  count int not null,
  primary key (team_id, project_id, tag),
  foreign key (team_id, project_id) references projects on delete cascade
) with (fillfactor = 50);
create index tag_totals_unused on tag_totals (team_id) where count = 0;
create table tag_changes (
  team_id uuid not null,
  project_id uuid not null,
  id uuid not null default uuidv7(),
  tag text not null,
  amount int not null,
  primary key (team_id, project_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create function note_tag_changes() returns trigger
language plpgsql as $$
declare
  v_before text[] := case when tg_op = 'UPDATE' then case when old.deleted_at is null then old.tags end end;
  v_after text[] := case when new.deleted_at is null then new.tags end;
begin
  insert into tag_changes (team_id, project_id, tag, amount)
  select new.team_id, new.project_id, coalesce(a.tag, b.tag), case when b.tag is null then 1 else -1 end
    from (select distinct unnest(v_after)) a (tag)
    full join (select distinct unnest(v_before)) b (tag) on b.tag = a.tag
   where a.tag is null or b.tag is null;
  return null;
end $$;
create trigger submissions_tags_counted after insert on submissions
  for each row when (new.tags <> '{}') execute function note_tag_changes();
create trigger submissions_tags_recounted after update of tags, deleted_at on submissions
  for each row when (new.tags is distinct from old.tags or (new.deleted_at is null) <> (old.deleted_at is null))
  execute function note_tag_changes();

create function count_public_submission() returns trigger
language plpgsql as $$
declare
  v_after int := new.is_public::int;
  v_before int := case when tg_op = 'UPDATE' then old.is_public::int else 0 end;
begin
  insert into project_counters as c (team_id, project_id, public_count, rated_count, rating_sum, version)
  values (
    new.team_id, new.project_id, v_after - v_before,
    v_after * num_nonnulls(new.rating) - v_before * num_nonnulls(old.rating),
    v_after * coalesce(new.rating, 0) - v_before * coalesce(old.rating, 0),
    1
  )
  on conflict (team_id, project_id) do update set
    public_count = c.public_count + excluded.public_count,
    rated_count = c.rated_count + excluded.rated_count,
    rating_sum = c.rating_sum + excluded.rating_sum,
    version = c.version + 1;
  return null;
end $$;
create trigger submissions_published after insert on submissions
  for each row when (new.is_public) execute function count_public_submission();
create trigger submissions_public_changed after update on submissions
  for each row when (new.is_public or old.is_public) execute function count_public_submission();

-- Figures of submissions, without deleted ones. Writers append what changed, and wait for nobody; a worker folds that into the totals
-- each second. A figure is both together, read in one statement.
create table submission_totals (
  team_id uuid not null,
  project_id uuid not null,
  kind text not null,
  state text not null,
  count int not null,
  primary key (team_id, project_id, kind, state),
  foreign key (team_id, project_id) references projects on delete cascade
) with (fillfactor = 50);
-- By the day of arrival: all of them, and by each value of some columns (db/src/submissions/day-figures.ts).
create table submission_days (
  team_id uuid not null,
  project_id uuid not null,
  day date not null,
  dimension text not null,
  value text not null,
  count int not null,
  sum bigint not null,
  primary key (team_id, project_id, day, dimension, value),
  foreign key (team_id, project_id) references projects on delete cascade
) with (fillfactor = 50);
create table submission_changes (
  team_id uuid not null,
  project_id uuid not null,
  id uuid not null default uuidv7(),
  day date not null,
  kind text not null,
  state text not null,
  channel text not null,
  rating smallint,
  is_public boolean not null,
  -- From arrival to the last decision, in milliseconds; null before a decision.
  moderation_ms bigint,
  -- Of submissions with these values: how many more, or fewer.
  amount int not null,
  primary key (team_id, project_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create function note_submission_changes() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into submission_changes (team_id, project_id, day, kind, state, channel, rating, is_public, moderation_ms, amount)
    select c.*, count(*)
      from (
             select a.team_id, a.project_id, a.day, a.kind, a.state, a.channel, a.rating, a.is_public,
                    (extract(epoch from a.moderated_at - uuid_extract_timestamp(a.id)) * 1000)::bigint as moderation_ms
               from added a
              where a.deleted_at is null
           ) c
     group by c.team_id, c.project_id, c.day, c.kind, c.state, c.channel, c.rating, c.is_public, c.moderation_ms;
  else
    insert into submission_changes (team_id, project_id, day, kind, state, channel, rating, is_public, moderation_ms, amount)
    select c.team_id, c.project_id, c.day, c.kind, c.state, c.channel, c.rating, c.is_public, c.moderation_ms, sum(c.amount)
      from (
             select a.team_id, a.project_id, a.day, a.kind, a.state, a.channel, a.rating, a.is_public,
                    (extract(epoch from a.moderated_at - uuid_extract_timestamp(a.id)) * 1000)::bigint as moderation_ms, 1 as amount
               from added a
              where a.deleted_at is null
              union all
             select r.team_id, r.project_id, r.day, r.kind, r.state, r.channel, r.rating, r.is_public,
                    (extract(epoch from r.moderated_at - uuid_extract_timestamp(r.id)) * 1000)::bigint, -1
               from removed r
              where r.deleted_at is null
           ) c
     group by c.team_id, c.project_id, c.day, c.kind, c.state, c.channel, c.rating, c.is_public, c.moderation_ms
    having sum(c.amount) <> 0;
  end if;
  return null;
end $$;
create trigger submissions_counted after insert on submissions
  referencing new table as added for each statement execute function note_submission_changes();
create trigger submissions_recounted after update on submissions
  referencing old table as removed new table as added for each statement execute function note_submission_changes();

-- The same words from the same address within ten minutes are one submission: the fingerprint is a keyed hash of both,
-- and the record's id tells when it arrived. So are the same answers to a survey one response. Nothing is lost if a crash empties it.
create unlogged table visitor_fingerprints (
  team_id uuid not null,
  project_id uuid not null,
  fingerprint bytea not null,
  record_id uuid not null,
  primary key (team_id, project_id, fingerprint)
);
