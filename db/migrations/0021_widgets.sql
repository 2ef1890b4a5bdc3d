-- Widgets: how a site shows a project's public items.

create table widgets (
  team_id uuid not null,
  project_id uuid not null,
  id uuid not null default uuidv7(),
  name text not null,
  layout text not null check (layout in ('wall', 'carousel', 'badge')),
  item_order text not null check (item_order in ('featured', 'newest', 'rating')),
  max_items smallint not null,
  -- Empty: any.
  filter_tags text[] not null,
  filter_kinds text[] not null,
  filter_min_rating smallint,
  theme_color text,
  theme_mode text not null check (theme_mode in ('auto', 'light', 'dark')),
  deleted_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, project_id, id),
  foreign key (team_id, project_id) references projects on delete cascade
);
create index widgets_deleted on widgets (deleted_at) where deleted_at is not null;
create trigger widgets_routes_added after insert on widgets
  referencing new table as added for each statement execute function add_key_routes();
create trigger widgets_routes_removed after delete on widgets
  referencing old table as removed for each statement execute function remove_key_routes();

-- The featured items of a project, in the order in which its team put them.
create index submissions_featured on submissions (team_id, project_id, position, id desc) where is_public and featured;
