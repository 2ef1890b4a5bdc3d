-- Surveys and what they ask.

create table surveys (
  team_id uuid not null,
  project_id uuid not null,
  id uuid not null default uuidv7(),
  name text not null,
  status text not null default 'draft' check (status in ('draft', 'active', 'closed')),
  -- The version that is asked now.
  version int not null default 1,
  closes_at timestamptz(3),
  response_limit int,
  -- Counted by responses while there is a limit, or one response a respondent: nobody else waits for this row.
  response_count int not null default 0,
  one_per_respondent boolean not null default false,
  deleted_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, project_id, id),
  foreign key (team_id, project_id) references projects on delete cascade
);
create index surveys_deleted on surveys (deleted_at) where deleted_at is not null;
create trigger surveys_routes_added after insert on surveys
  referencing new table as added for each statement execute function add_key_routes();
create trigger surveys_routes_removed after delete on surveys
  referencing old table as removed for each statement execute function remove_key_routes();

-- What a survey asked in each version. The version of a draft changes with it; later ones never change.
create table survey_versions (
  team_id uuid not null,
  project_id uuid not null,
  survey_id uuid not null,
  version int not null,
  language text not null,
  questions jsonb not null,
  translations jsonb not null,
  thank_you_text text,
  primary key (team_id, project_id, survey_id, version),
  foreign key (team_id, project_id, survey_id) references surveys on delete cascade
);

-- Responses, each to one version. No foreign key to the survey: writers would share a lock on its row, and the purge removes
-- what a deleted survey leaves.
create table survey_responses (
  team_id uuid not null,
  project_id uuid not null,
  survey_id uuid not null,
  id uuid not null default uuidv7(),
  survey_version int not null,
  respondent_external_id text,
  respondent_email text,
  respondent_name text,
  respondent_properties jsonb not null default '{}',
  -- In the order of the questions: [{question_id, type, value}].
  answers jsonb not null,
  nps_score smallint check (nps_score between 0 and 10),
  language text,
  channel text not null check (channel in ('public', 'api', 'mcp', 'import', 'dashboard')),
  -- The day of its arrival in the time zone that the team had then. Figures are by this day.
  day date not null,
  hidden jsonb not null default '{}',
  duration_ms int,
  -- The survey took one response per respondent when this one came.
  is_only_one boolean not null default false,
  deleted_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  primary key (team_id, project_id, survey_id, id)
);
create unique index survey_responses_respondent on survey_responses
  (team_id, project_id, survey_id, (coalesce(respondent_external_id, lower(respondent_email))))
  where is_only_one and deleted_at is null;
create index survey_responses_external_id on survey_responses (team_id, project_id, survey_id, respondent_external_id, id desc);
create index survey_responses_deleted on survey_responses (deleted_at) where deleted_at is not null;
-- A survey has one project and team: with this, the planner expects a survey's many responses.
create statistics survey_responses_owner (dependencies) on team_id, project_id, survey_id from survey_responses;

-- Figures of responses. Writers append what changed, and wait for nobody; a worker folds that each second into the tables below.
-- A figure is both together, read in one statement.
create table response_changes (
  team_id uuid not null,
  project_id uuid not null,
  survey_id uuid not null,
  id uuid not null default uuidv7(),
  -- 1 for a new response, -1 for a deleted one.
  amount int not null check (amount in (1, -1)),
  day date not null,
  survey_version int not null,
  -- '' for a response without one.
  language text not null,
  nps_score smallint,
  -- Its answers as they are counted (db/src/surveys/answer-buckets.ts), one array for each column.
  question_ids uuid[] not null,
  buckets text[] not null,
  -- The numbers among them, to add up; null for the others.
  numbers numeric[] not null,
  primary key (team_id, project_id, survey_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create table response_days (
  team_id uuid not null,
  project_id uuid not null,
  survey_id uuid not null,
  day date not null,
  survey_version int not null,
  language text not null,
  responses int not null,
  promoters int not null,
  passives int not null,
  detractors int not null,
  primary key (team_id, project_id, survey_id, day, survey_version, language),
  foreign key (team_id, project_id, survey_id) references surveys on delete cascade
) with (fillfactor = 50);

-- Each answer counts in its day and in its month, so that a long range reads months, and days only at its ends.
create table answer_totals (
  team_id uuid not null,
  project_id uuid not null,
  survey_id uuid not null,
  period text not null check (period in ('day', 'month')),
  start date not null,
  survey_version int not null,
  language text not null,
  question_id uuid not null,
  bucket text not null,
  count int not null,
  sum numeric not null,
  primary key (team_id, project_id, survey_id, period, start, survey_version, language, question_id, bucket),
  foreign key (team_id, project_id, survey_id) references surveys on delete cascade
) with (fillfactor = 50);
