-- Second factors: authenticator apps and recovery codes.

-- The secret of an authenticator app. It waits to be confirmed until users.mfa_enabled_at is set.
create table second_factors (
  user_id uuid primary key references users on delete cascade,
  -- Sealed for this user alone.
  sealed bytea not null,
  -- The last 30 seconds whose code was accepted; no code of these or earlier ones is accepted again (RFC 6238 §5.2).
  last_step bigint not null default 0
);

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  -- Keyed: a code is short enough to be guessed from a plain hash.
  hash bytea not null,
  used_at timestamptz(3),
  primary key (user_id, hash)
);

-- Wrong codes of the last day. Logged, unlike the counters of rate limits: neither a crash nor a failover gives a guesser more.
create table wrong_codes (
  id uuid primary key default uuidv7(),
  user_id uuid not null references users on delete cascade,
  -- The sign-in step that it was given in.
  step_id uuid,
  -- Whether it was the one that told the owner.
  is_mailed boolean not null default false,
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual
);
create index wrong_codes_user on wrong_codes (user_id, id);

revoke all on second_factors, recovery_codes, wrong_codes from earshot_app;
