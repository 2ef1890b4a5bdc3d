-- Links of mails that confirm an address or set a new password.

-- A new link of a purpose replaces the last one; a used one is deleted.
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

-- No team owns these rows: the role that is bound to one team has no access.
revoke all on account_links from earshot_app;
