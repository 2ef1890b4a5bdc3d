-- Ways to sign in beside the personal access token. A row of credentials is what a person gave out or began: a token, a
-- session, a log-in by password (jwt), or what an OAuth client was allowed (oauth2), which hands out short-lived access
-- tokens of its own. A log-in and an allowance are prolonged by refresh tokens. Whatever is revoked is revoked there.

create table oauth_clients (
  id uuid primary key default uuidv7(),
  client_id text not null,
  name text not null,
  -- Null: a public client, which can keep no secret.
  secret_hash bytea,
  redirect_uris text[] not null,
  grant_types text[] not null,
  scopes text[] not null,
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual
);
create unique index oauth_clients_client_id on oauth_clients (client_id);

alter table credentials
  alter column hash drop not null,
  add column client_id uuid references oauth_clients on delete cascade,
  add column ip inet,
  add column user_agent text,
  add constraint credentials_hash_of_kind check ((hash is null) = (kind = 'oauth2')),
  add constraint credentials_client_of_kind check ((client_id is not null) = (kind = 'oauth2'));

create table access_tokens (
  hash bytea primary key,
  credential_id uuid not null references credentials on delete cascade,
  scopes text[] not null,
  expires_at timestamptz(3) not null
);
create index access_tokens_credential on access_tokens (credential_id);
create index access_tokens_expires on access_tokens (expires_at);

-- One that was used stays until its time is over: its second use tells that somebody else has it.
create table refresh_tokens (
  hash bytea primary key,
  credential_id uuid not null references credentials on delete cascade,
  expires_at timestamptz(3) not null,
  used_at timestamptz,
  successor bytea
);
create index refresh_tokens_credential on refresh_tokens (credential_id);
create index refresh_tokens_expires on refresh_tokens (expires_at);

-- Nothing of this is a team's: the role that is bound to one has no business here.
revoke all on oauth_clients, access_tokens, refresh_tokens from earshot_app;
create index credentials_ended on credentials (expires_at) where kind <> 'pat';
