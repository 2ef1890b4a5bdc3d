-- Small copies of images of other sites: authors' pictures and projects' logos. Pages show the copies alone, so no other site
-- learns who visits them.

-- What is copied is what visitors see: the picture of a submission's author while that is public, and the logo of a project. The
-- bytes are in the row, at most some 60 KB, so that they come and go with what they belong to.
create table image_copies (
  team_id uuid not null,
  -- The submission of the author, or the project of the logo.
  owner_id uuid not null,
  project_id uuid not null,
  kind text not null check (kind in ('avatar', 'logo')),
  source_url text not null,
  state text not null default 'pending' check (state in ('pending', 'ready', 'failed')),
  -- A worker that takes it counts, and has it until `due_at`. The number refuses the results of one that is late.
  attempts int not null default 0,
  due_at timestamptz(3) not null default clock_timestamp(),
  error_code text,
  version text,
  width int,
  height int,
  -- What is made is far smaller; a converter that errs fills no database.
  bytes bytea check (octet_length(bytes) <= 1048576),
  primary key (team_id, owner_id),
  foreign key (team_id, project_id) references projects on delete cascade
);
create index image_copies_waiting on image_copies (team_id, due_at) where state = 'pending';
-- For the look of each worker, each second, whether one is due.
create index image_copies_due on image_copies (due_at) where state = 'pending';
-- For the cascade.
create index image_copies_project on image_copies (team_id, project_id);
-- WebP is compressed already.
alter table image_copies alter column bytes set storage external;

alter table image_copies enable row level security;
create policy one_team on image_copies to earshot_app using (team_id = nullif(current_setting('earshot.team_id', true), '')::uuid);
create policy every_team on image_copies to earshot_worker using (true);

-- Keeps a picture to be copied for each public submission whose author has one, by whichever statement that becomes so or ends.
create function keep_author_image() returns trigger
language plpgsql as $$
begin
  if tg_op <> 'DELETE' and new.is_public and new.author_avatar_url is not null then
    insert into image_copies as c (team_id, project_id, owner_id, kind, source_url)
    values (new.team_id, new.project_id, new.id, 'avatar', new.author_avatar_url)
    on conflict (team_id, owner_id) do update set
      source_url = excluded.source_url, state = 'pending', attempts = 0, due_at = excluded.due_at,
      error_code = null, version = null, width = null, height = null, bytes = null
      where c.source_url <> excluded.source_url;
  else
    delete from image_copies
     where team_id = old.team_id and owner_id = old.id;
  end if;
  return null;
end $$;
-- Triggers of one event run by their names: these after those that lock the project's counters, as whoever ends a copy does.
create trigger submissions_shown after insert on submissions
  for each row when (new.is_public and new.author_avatar_url is not null) execute function keep_author_image();
create trigger submissions_reshown after update on submissions
  for each row when (
    (new.is_public and new.author_avatar_url is not null or old.is_public and old.author_avatar_url is not null)
    and (new.is_public <> old.is_public or new.author_avatar_url is distinct from old.author_avatar_url)
  ) execute function keep_author_image();
create trigger submissions_unshown after delete on submissions
  for each row when (old.is_public and old.author_avatar_url is not null) execute function keep_author_image();

-- Projects last: their readers wait from here to the end of the migration.
-- The copy of the logo that is shown, by a hash of its bytes, or why there is none; both null while it is made.
alter table projects add column theme_logo_version text;
alter table projects add column theme_logo_error text;

-- Keeps the logo of a project to be copied, whichever version of the code writes its address. It goes before all pictures of its team.
create function keep_logo_image() returns trigger
language plpgsql as $$
begin
  if new.theme_logo_url is null then
    delete from image_copies
     where team_id = new.team_id and owner_id = new.id;
  else
    insert into image_copies as c (team_id, project_id, owner_id, kind, source_url, due_at)
    values (new.team_id, new.id, new.id, 'logo', new.theme_logo_url, 'epoch')
    on conflict (team_id, owner_id) do update set
      source_url = excluded.source_url, state = 'pending', attempts = 0, due_at = excluded.due_at,
      error_code = null, version = null, width = null, height = null, bytes = null;
  end if;
  new.theme_logo_version := null;
  new.theme_logo_error := null;
  return new;
end $$;
create trigger projects_logo_given after insert on projects
  for each row when (new.theme_logo_url is not null) execute function keep_logo_image();
-- A statement that gives the address and takes its error away asks for another try.
create trigger projects_logo_changed before update of theme_logo_url on projects
  for each row when (
    new.theme_logo_url is distinct from old.theme_logo_url or old.theme_logo_error is not null and new.theme_logo_error is null
  ) execute function keep_logo_image();
