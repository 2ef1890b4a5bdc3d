-- Estimates how many deliveries are stored, by state, as of the last ANALYZE of the unfinished ones and of each day's finished
-- ones: counting a month of them would read them all. With the owner's rights, because statistics of a table with policies are
-- shown to nobody else.
create or replace function stored_deliveries() returns table (state text, stored float8)
language sql stable security definer set search_path = public, pg_temp as $$
  select v.state, round(sum(greatest(c.reltuples, 0) * v.frequency))::float8
    from pg_class c
    join pg_stats s on s.schemaname = 'public' and s.tablename = c.relname and s.attname = 'state' and not s.inherited
   cross join lateral unnest(s.most_common_vals::text::text[], s.most_common_freqs) v (state, frequency)
   where c.oid = 'webhook_deliveries'::regclass
      or c.oid in (select inhrelid from pg_inherits where inhparent = 'webhook_delivery_history'::regclass)
   group by v.state
$$;
revoke execute on function stored_deliveries() from public;
grant execute on function stored_deliveries() to earshot_worker;
