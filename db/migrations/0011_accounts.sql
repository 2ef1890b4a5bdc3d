-- How people come to have an account, keep it, and prove more than a password.

-- Links that are sent by mail. A new one of a purpose takes the place of the last; one that was used is deleted.
create table account_links (
  -- No foreign key: for an address without an account a link to nobody is written, so that it takes as long.
  user_id uuid not null,
  purpose text not null check (purpose in ('verify', 'reset')),
  hash bytea not null,
  expires_at timestamptz(3) not null,
  primary key (user_id, purpose)
);
create unique index account_links_hash on account_links (hash);
create index account_links_expires on account_links (expires_at);

-- The secret of an authenticator app. It counts from users.mfa_enabled_at on; before that it waits to be confirmed.
create table second_factors (
  user_id uuid primary key references users on delete cascade,
  -- Bound to its user.
  sealed bytea not null,
  -- The last 30 seconds whose code was accepted: none of then or before counts again (RFC 6238 §5.2).
  last_step bigint not null default 0
);

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  -- Keyed: a code is short enough to be guessed from a plain hash.
  hash bytea not null,
  used_at timestamptz(3),
  primary key (user_id, hash)
);

-- Whoever never confirmed the address has no account, and is forgotten.
create index users_unverified on users (id) where email_verified_at is null;

-- Nothing of this is a team's: the role that is bound to one has no business here.
revoke all on account_links, second_factors, recovery_codes from earshot_app;
