-- Keys that sign the access tokens of log-ins by password (JWT). One signs; those before it only verify, until what they
-- signed has ended.

create table jwt_keys (
  -- The key's thumbprint (RFC 7638): the `kid` of what it signs.
  id text primary key,
  public_key jsonb not null,
  sealed_private bytea not null,
  created_at timestamptz not null default now(),
  -- Null: it signs.
  retires_at timestamptz
);
-- One alone signs: replicas that make the first one at the same moment agree on whose it is.
create unique index jwt_keys_signing on jwt_keys ((retires_at is null)) where retires_at is null;

-- Nothing of this is a team's: the role that is bound to one has no business here.
revoke all on jwt_keys from earshot_app;
