-- Programs that act for people by OAuth.

create table oauth_clients (
  id uuid primary key default uuidv7(),
  client_id text not null,
  name text not null,
  -- Null: a public client, which cannot keep a secret.
  secret_hash bytea,
  redirect_uris text[] not null,
  grant_types text[] not null,
  scopes text[] not null
    -- A client that could create tokens would outlive the withdrawal of what it was allowed.
    constraint oauth_clients_no_tokens check (not scopes && array['read:tokens', 'write:tokens']),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual
);
create unique index oauth_clients_client_id on oauth_clients (client_id);

revoke all on oauth_clients from earshot_app;

-- The command line is a public client.
insert into oauth_clients (client_id, name, redirect_uris, grant_types, scopes)
values (
  'earshot-cli', 'Earshot command line', '{}',
  array['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  array[
    'read:profile', 'write:profile', 'read:teams', 'write:teams', 'read:members', 'write:members', 'read:projects', 'write:projects',
    'read:submissions', 'write:submissions', 'moderate:submissions', 'read:testimonials', 'write:testimonials', 'read:surveys', 'write:surveys',
    'read:responses', 'write:responses', 'read:videos', 'write:videos', 'read:imports', 'write:imports', 'read:widgets', 'write:widgets',
    'read:webhooks', 'write:webhooks', 'read:analytics', 'read:contacts', 'write:privacy'
  ]
);
