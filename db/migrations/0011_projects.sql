-- Projects collect feedback. Every key starts with the team: a record is found only through its team.

create table projects (
  team_id uuid not null references teams on delete cascade,
  id uuid not null default uuidv7(),
  name text not null,
  slug text not null,
  website_url text,
  collects_text boolean not null,
  collects_video boolean not null,
  collects_rating boolean not null,
  consent_text text not null,
  thank_you_text text not null,
  theme_color text,
  theme_logo_url text,
  deleted_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, id)
);
create unique index projects_slug on projects (team_id, slug) where deleted_at is null;
create index projects_deleted on projects (deleted_at) where deleted_at is not null;

create table public_keys (
  team_id uuid not null,
  project_id uuid not null,
  id uuid not null default uuidv7(),
  key text not null,
  label text,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, project_id, id),
  foreign key (team_id, project_id) references projects on delete cascade
);
create trigger public_keys_routes_added after insert on public_keys
  referencing new table as added for each statement execute function add_key_routes();
create trigger public_keys_routes_removed after delete on public_keys
  referencing old table as removed for each statement execute function remove_key_routes();

-- Counts of a project's public submissions, and a version that rises with every change of them, kept by the statement that changes
-- them.
create table project_counters (
  team_id uuid not null,
  project_id uuid not null,
  public_count int not null default 0,
  rated_count int not null default 0,
  rating_sum int not null default 0,
  version bigint not null default 0,
  primary key (team_id, project_id),
  foreign key (team_id, project_id) references projects on delete cascade
) with (fillfactor = 50);
