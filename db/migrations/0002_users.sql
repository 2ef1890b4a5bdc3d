-- People. What a person signs in with stands in the next files.

create table users (
  id uuid primary key default uuidv7(),
  email text not null,
  name text not null,
  password_hash text,
  avatar_url text,
  locale text not null default 'en',
  timezone text not null default 'UTC',
  email_verified_at timestamptz(3),
  mfa_enabled_at timestamptz(3),
  disabled_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual
);
create unique index users_email on users (lower(email));
-- An account whose address was never confirmed is deleted after a time.
create index users_unverified on users (id) where email_verified_at is null;
