-- Small copies of images of other sites: authors' pictures and projects' logos. Pages show the copies alone, so no other site
-- learns who visits them.

-- The copy of the logo that is shown, by a hash of its bytes, or why there is none; both null while it is made.
alter table projects add column theme_logo_version text;
alter table projects add column theme_logo_error text;

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
  bytes bytea,
  primary key (team_id, owner_id),
  foreign key (team_id, project_id) references projects on delete cascade
);
create index image_copies_waiting on image_copies (team_id, due_at) where state = 'pending';
-- For the cascade.
create index image_copies_project on image_copies (team_id, project_id);
-- WebP is compressed already.
alter table image_copies alter column bytes set storage external;

alter table image_copies enable row level security;
create policy one_team on image_copies to earshot_app using (team_id = nullif(current_setting('earshot.team_id', true), '')::uuid);
create policy every_team on image_copies to earshot_worker using (true);

insert into image_copies (team_id, project_id, owner_id, kind, source_url)
select p.team_id, p.id, p.id, 'logo', p.theme_logo_url
  from projects p
 where p.theme_logo_url is not null;
-- Before the triggers, which lock writers out until the end of the migration. By the index of public submissions, project by project.
insert into image_copies (team_id, project_id, owner_id, kind, source_url)
select s.team_id, s.project_id, s.id, 'avatar', s.author_avatar_url
  from projects p
  join submissions s on s.team_id = p.team_id and s.project_id = p.id and s.is_public
 where s.author_avatar_url is not null;

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
