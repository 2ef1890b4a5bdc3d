-- A visitor's address ran into a limit: counted once for each window, so that a burst is one trip and carries no penalty
-- but its wait. The fifth within ten minutes blocks the address on the public plane for an hour, the next time for two,
-- and so on up to a day. Tells for how many seconds, null if it is not blocked.
create or replace function record_trip(p_address text) returns int
language plpgsql security definer as $$
declare
  v_until timestamptz;
begin
  insert into public.abuse_blocks as b (address, trips)
  values (p_address, array[now()])
  on conflict (address) do update set
    trips = array(select trip from unnest(b.trips) trip where trip > now() - interval '10 minutes') || now();

  update public.abuse_blocks b
     set trips = '{}',
         blocks = b.blocks + 1,
         blocked_until = now() + least(interval '24 hours', interval '1 hour' * 2 ^ b.blocks)
   where b.address = p_address and cardinality(b.trips) >= 5
  returning blocked_until into v_until;
  return ceil(extract(epoch from v_until - now()))::int;
end $$;
