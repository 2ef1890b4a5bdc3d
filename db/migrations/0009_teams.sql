-- Teams, their plans and their members, and which keys lead to them.

-- The plans of the contracts, written at every start, so that one statement can authorize and count.
create table plans (
  name text primary key,
  api_access boolean not null,
  features text[] not null,
  quotas jsonb not null
);

create table teams (
  id uuid primary key default uuidv7(),
  name text not null,
  slug text not null,
  plan text not null references plans,
  nps_low_score_threshold smallint not null,
  cors_origins text[] not null,
  locale text not null,
  -- IANA time zone: where the days of figures begin.
  timezone text not null default 'UTC',
  created_by uuid references users on delete set null,
  deleted_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual
);
create unique index teams_slug on teams (slug) where deleted_at is null;
create index teams_created_by on teams (created_by);
create index teams_deleted on teams (deleted_at) where deleted_at is not null;

create table memberships (
  team_id uuid not null references teams on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  joined_at timestamptz(3) not null default now(),
  primary key (team_id, user_id)
);
create index memberships_user on memberships (user_id, team_id);

-- Mails about news: by member and kind, when it goes. Who has no row gets daily mails.
create table notifications (
  team_id uuid not null,
  user_id uuid not null,
  kind text not null check (kind in ('pending', 'low_nps')),
  frequency text not null default 'daily' check (frequency in ('instant', 'daily', 'off')),
  -- News up to then was in a mail, or is older than the membership.
  told_until timestamptz(3) not null default now(),
  -- When the next mail goes; null while there is nothing to tell.
  due_at timestamptz(3),
  primary key (team_id, user_id, kind),
  foreign key (team_id, user_id) references memberships on delete cascade
);
create index notifications_due on notifications (due_at) where due_at is not null;

-- Where a key leads whose holder names no team: a public key, a survey, a widget, or the token of an invitation, of consent or of an upload. Their own
-- tables have no unique key without the team, so they can be spread by team, and this one by key. A route has its row's lifetime: triggers
-- write and delete it with the row that holds the key. It proves nothing: whoever follows it checks that the row holds the key.
create table key_routes (
  -- SHA-256 of the key, of a public one too.
  key_hash bytea primary key,
  team_id uuid not null,
  -- Null for what belongs to no project.
  project_id uuid,
  record_id uuid not null
);

create function add_key_routes() returns trigger
language plpgsql as $$
begin
  case tg_table_name
    when 'invitations' then
      insert into key_routes (key_hash, team_id, record_id)
      select a.token_hash, a.team_id, a.id
        from added a;
    when 'public_keys' then
      insert into key_routes (key_hash, team_id, project_id, record_id)
      select sha256(convert_to(a.key, 'UTF8')), a.team_id, a.project_id, a.id
        from added a;
    when 'submissions' then
      insert into key_routes (key_hash, team_id, project_id, record_id)
      select a.revoke_token_hash, a.team_id, a.project_id, a.id
        from added a
       where a.revoke_token_hash is not null;
    when 'surveys' then
      insert into key_routes (key_hash, team_id, project_id, record_id)
      select sha256(convert_to('survey:' || a.id, 'UTF8')), a.team_id, a.project_id, a.id
        from added a;
    when 'videos' then
      insert into key_routes (key_hash, team_id, project_id, record_id)
      select a.token_hash, a.team_id, a.project_id, a.id
        from added a;
    when 'widgets' then
      insert into key_routes (key_hash, team_id, project_id, record_id)
      select sha256(convert_to('widget:' || a.id, 'UTF8')), a.team_id, a.project_id, a.id
        from added a;
  end case;
  return null;
end $$;

create function remove_key_routes() returns trigger
language plpgsql as $$
begin
  case tg_table_name
    when 'invitations' then
      delete from key_routes where key_hash in (select token_hash from removed);
    when 'public_keys' then
      delete from key_routes where key_hash in (select sha256(convert_to(key, 'UTF8')) from removed);
    when 'submissions' then
      delete from key_routes where key_hash in (select revoke_token_hash from removed);
    when 'surveys' then
      delete from key_routes where key_hash in (select sha256(convert_to('survey:' || id, 'UTF8')) from removed);
    when 'videos' then
      delete from key_routes where key_hash in (select token_hash from removed);
    when 'widgets' then
      delete from key_routes where key_hash in (select sha256(convert_to('widget:' || id, 'UTF8')) from removed);
  end case;
  return null;
end $$;
