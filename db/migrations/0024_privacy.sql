-- Privacy requests: what a person left is exported or erased.

create table privacy_requests (
  team_id uuid not null references teams on delete cascade,
  id uuid not null default uuidv7(),
  kind text not null check (kind in ('export', 'erase')),
  state text not null check (state in ('running', 'completed')),
  -- HMAC of team and address. It stays: proof without the address, and imports leave out whoever was erased.
  person_mac bytea not null,
  -- The address, sealed, while a job needs it.
  sealed_email bytea check (sealed_email is null or state = 'running'),
  -- What was found or erased, by noun.
  counts jsonb not null default '{}',
  -- Endpoints that got copies.
  recipients jsonb not null default '[]',
  -- Where the job goes on: a step, and the last row that it has looked at.
  step text,
  position text[] not null default '{}',
  requested_by uuid,
  completed_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, id)
);
create index privacy_requests_person on privacy_requests (team_id, person_mac);
-- One erasure of a person at a time.
create unique index privacy_requests_running on privacy_requests (team_id, person_mac) where kind = 'erase' and state = 'running';

-- The records and events that a running erasure has found: others name them by their ids.
create table erased_records (
  team_id uuid not null,
  request_id uuid not null,
  record_id uuid not null,
  is_event boolean not null,
  primary key (team_id, request_id, is_event, record_id),
  foreign key (team_id, request_id) references privacy_requests on delete cascade
);

-- Where people's words lie, an erasure finds them at once. Partial: most feedback is anonymous.
create index submissions_author_email on submissions (team_id, lower(author_email)) where author_email is not null;
create index survey_responses_respondent_email on survey_responses (team_id, lower(respondent_email)) where respondent_email is not null;
create index invitations_email on invitations (team_id, lower(email));
create index import_rows_author_email on import_rows (team_id, author_email) where author_email is not null;

-- HMACs of team and address, of the addresses in the sealed result.
alter table idempotency_keys add column person_macs bytea[];
