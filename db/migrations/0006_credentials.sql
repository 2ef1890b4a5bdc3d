-- What a person gave out or began: a personal access token (pat), a session, a password login (jwt), or what an OAuth
-- client was allowed (oauth2), which hands out short-lived access tokens of its own. Logins and OAuth clients continue by
-- refresh tokens. Every credential is revoked here. Only hashes are stored.

create table credentials (
  id uuid primary key default uuidv7(),
  kind text not null check (kind in ('pat', 'oauth2', 'jwt', 'session')),
  hash bytea,
  user_id uuid not null references users on delete cascade,
  parent_id uuid references credentials on delete cascade,
  client_id uuid references oauth_clients on delete cascade,
  name text,
  hint text,
  scopes text[] not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  ip inet,
  user_agent text,
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual,
  constraint credentials_hash_of_kind check ((hash is null) = (kind = 'oauth2')),
  constraint credentials_client_of_kind check ((client_id is not null) = (kind = 'oauth2'))
);
create unique index credentials_hash on credentials (hash);
create index credentials_user on credentials (user_id, kind, id desc) where revoked_at is null;
create index credentials_parent on credentials (parent_id) where parent_id is not null;
create index credentials_revoked on credentials (revoked_at) where revoked_at is not null;
create index credentials_client on credentials (client_id) where client_id is not null;
create index credentials_ended on credentials (expires_at) where kind <> 'pat';

create table access_tokens (
  hash bytea primary key,
  credential_id uuid not null references credentials on delete cascade,
  scopes text[] not null,
  expires_at timestamptz(3) not null
);
create index access_tokens_credential on access_tokens (credential_id);
create index access_tokens_expires on access_tokens (expires_at);

-- A used one stays until it expires or its credential ends: its second use shows that somebody else has it.
create table refresh_tokens (
  hash bytea primary key,
  credential_id uuid not null references credentials on delete cascade,
  expires_at timestamptz(3) not null,
  used_at timestamptz,
  successor bytea
);
create index refresh_tokens_credential on refresh_tokens (credential_id);
create index refresh_tokens_expires on refresh_tokens (expires_at);

revoke all on access_tokens, refresh_tokens from earshot_app;
