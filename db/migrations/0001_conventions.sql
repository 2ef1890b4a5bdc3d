-- Conventions of all tables. Ids are UUIDv7; created_at is read from the id, so the two never disagree and no index on time is
-- needed. The id and updated_at take their time from the clock, not from the transaction, so that updated_at is never the
-- earlier one.

alter default privileges in schema public grant select, insert, update, delete on tables to earshot_app, earshot_worker;
alter default privileges in schema public grant usage, select on sequences to earshot_app, earshot_worker;

-- The lowest UUIDv7 of an instant: turns bounds in time into bounds on ids.
create function uuid_at(p_at timestamptz) returns uuid
language sql immutable parallel safe as $$
  select encode(
    substring(int8send(greatest(0, floor(extract(epoch from p_at) * 1000))::bigint) from 3) || '\x70008000000000000000'::bytea,
    'hex'
  )::uuid
$$;
