-- Makes the daily partitions of a table, from yesterday to p_days_ahead. The table is partitioned by its UUIDv7 ids, or by
-- positions of the feed; both begin with their time.
-- Created apart and attached: `create … partition of` would wait for every long reader. Nobody may ask a partition by its
-- own name: the policies stand on the table, and bind only what goes through it.
create or replace function ensure_partitions(p_table text, p_days_ahead int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_lowest text;
  v_day date;
  v_name text;
  v_options text;
  v_made int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('ensure_partitions ' || p_table));
  -- What gives the lowest key of an instant.
  select case a.atttypid when 'uuid'::regtype then 'uuid_at' else 'feed_position_at' end
    into strict v_lowest
    from pg_partitioned_table t
    join pg_attribute a on a.attrelid = t.partrelid and a.attnum = t.partattrs[0]
   where t.partrelid = p_table::regclass;
  for v_day in
    select generate_series((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + p_days_ahead, '1 day')::date
  loop
    v_name := p_table || '_' || to_char(v_day, 'YYYYMMDD');
    if to_regclass(v_name) is null then
      execute format('create table %I (like %I including all)', v_name, p_table);
      -- `like` copies no options of columns.
      for v_options in
        select format('alter table %I alter column %I set (%s)', v_name, a.attname, array_to_string(a.attoptions, ', '))
          from pg_attribute a
         where a.attrelid = p_table::regclass and a.attoptions is not null
      loop
        execute v_options;
      end loop;
      execute format('revoke all on %I from earshot_app, earshot_worker', v_name);
      -- Expressions, not constants: PostgreSQL evaluates the bounds once.
      execute format(
        'alter table %1$I attach partition %2$I for values from (%3$I(%4$L)) to (%3$I(%5$L))',
        p_table, v_name, v_lowest, v_day::timestamp at time zone 'UTC', (v_day + 1)::timestamp at time zone 'UTC');
      v_made := v_made + 1;
    end if;
  end loop;
  return v_made;
end $$;
