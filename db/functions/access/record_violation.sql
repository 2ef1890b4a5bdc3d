-- Records that an address exceeded a rate limit, once per window: a burst is one violation and costs nothing but the wait.
-- The fifth within ten minutes blocks the address on the public plane for an hour, the next time for two, and so on up to
-- a day. Returns for how many seconds the address is blocked, or null.
create or replace function record_violation(p_address text) returns int
language plpgsql security definer as $$
declare
  v_until timestamptz;
begin
  insert into public.abuse_blocks as b (address, violations)
  values (p_address, array[now()])
  on conflict (address) do update set
    violations = array(select v.at from unnest(b.violations) v (at) where v.at > now() - interval '10 minutes') || now();

  update public.abuse_blocks b
     set violations = '{}',
         blocks = least(b.blocks, 5) + 1,
         blocked_until = now() + least(interval '24 hours', interval '1 hour' * 2 ^ least(b.blocks, 5))
   where b.address = p_address and cardinality(b.violations) >= 5
  returning blocked_until into v_until;
  return ceil(extract(epoch from v_until - now()))::int;
end $$;
