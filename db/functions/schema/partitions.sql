-- Makes the daily partitions of a table that is partitioned by its UUIDv7 ids, from today to p_days_ahead.
-- Created apart and attached: `create … partition of` would wait for every long reader. Nobody may ask a partition by its
-- own name: the policies stand on the table, and bind only what goes through it.
create or replace function ensure_partitions(p_table text, p_days_ahead int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_day date;
  v_name text;
  v_made int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('ensure_partitions ' || p_table));
  for v_day in
    select generate_series((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + p_days_ahead, '1 day')::date
  loop
    v_name := p_table || '_' || to_char(v_day, 'YYYYMMDD');
    if to_regclass(v_name) is null then
      execute format('create table %I (like %I including all)', v_name, p_table);
      execute format('revoke all on %I from earshot_app, earshot_worker', v_name);
      execute format(
        'alter table %I attach partition %I for values from (%L) to (%L)',
        p_table, v_name, uuid_at(v_day::timestamp at time zone 'UTC'), uuid_at((v_day + 1)::timestamp at time zone 'UTC'));
      v_made := v_made + 1;
    end if;
  end loop;
  return v_made;
end $$;
