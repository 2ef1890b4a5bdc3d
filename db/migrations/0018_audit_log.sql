-- The audit log of each team, partitioned by day.

-- Who makes a change.
create type actor as (
  user_id uuid,
  credential_id uuid,
  credential_kind text,
  ip inet
);

create table audit_entries (
  team_id uuid not null,
  id uuid not null default uuidv7(),
  project_id uuid,
  actor_user_id uuid,
  credential_id uuid,
  credential_kind text,
  ip inet,
  action text not null,
  target_type text not null,
  target_id uuid,
  changes jsonb not null default '{}',
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, id)
) partition by range (id);
