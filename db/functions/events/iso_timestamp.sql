-- Returns an instant as the API writes it: RFC 3339, UTC, milliseconds. Stable, as to_char() is: as immutable it would not be inlined.
create or replace function iso_timestamp(p_at timestamptz) returns text
language sql stable parallel safe as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
