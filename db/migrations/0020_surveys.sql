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
