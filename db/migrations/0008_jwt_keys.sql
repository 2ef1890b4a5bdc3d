-- Keys of the access tokens of password logins (JWT). One key signs; those before it only verify, until the last token that
-- they signed has expired.

create table jwt_keys (
  -- The key's thumbprint (RFC 7638): the `kid` of what it signs.
  id text primary key,
  public_key jsonb not null,
  sealed_private bytea not null,
  created_at timestamptz not null default now(),
  -- Null: this key signs.
  retires_at timestamptz
);
-- One key signs: replicas that make the first one at the same moment agree on it.
create unique index jwt_keys_signing on jwt_keys ((retires_at is null)) where retires_at is null;

revoke all on jwt_keys from earshot_app;
