-- Idempotency keys.

-- A key belongs to its caller: a credential, or an address on the public plane. Inserted first in the work's own
-- transaction, so that parallel callers wait on the unique index and a crash leaves nothing behind.
create table idempotency_keys (
  caller text not null,
  key text not null,
  request_hash bytea not null,
  result text,
  created_at timestamptz not null default now(),
  primary key (caller, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);
