-- What OAuth hands out before there are tokens: codes of the browser's redirect and codes of devices. Only hashes are stored,
-- and no code lives long. Both lead to the credential that the person allowed.

create table authorization_codes (
  hash bytea primary key,
  credential_id uuid not null references credentials on delete cascade,
  -- As the client gave it: a program on the person's own machine may come from any port (RFC 8252 §7.3).
  redirect_uri text not null,
  -- SHA-256 of the verifier: there is no code without one (RFC 7636 §4.2).
  code_challenge text not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index authorization_codes_credential on authorization_codes (credential_id);
create index authorization_codes_expires on authorization_codes (expires_at);

create table device_codes (
  hash bytea primary key,
  -- Keyed with the secret key: a plain hash of eight letters is found within minutes.
  user_code_mac bytea not null,
  client_id uuid not null references oauth_clients on delete cascade,
  scopes text[] not null,
  expires_at timestamptz(3) not null,
  -- Grows for good with each poll that comes too early (RFC 8628 §3.5).
  interval_seconds int not null default 5,
  polled_at timestamptz,
  decision text,
  credential_id uuid references credentials on delete cascade,
  taken_at timestamptz(3),
  constraint device_codes_decision check (decision in ('allowed', 'denied')),
  constraint device_codes_credential_of_decision check ((credential_id is not null) = (decision is not distinct from 'allowed'))
);
create unique index device_codes_user_code on device_codes (user_code_mac);
create index device_codes_client on device_codes (client_id);
create index device_codes_credential on device_codes (credential_id) where credential_id is not null;
create index device_codes_expires on device_codes (expires_at);

revoke all on authorization_codes, device_codes from earshot_app;
