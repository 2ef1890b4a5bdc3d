-- Counts the queue's jobs by task and by what they wait for. With the owner's rights, because the queue's tables are the
-- owner's alone; payloads are not shown.
create or replace function queue_depths()
returns table (task text, ready int, running int, waiting int, given_up int, oldest_ready_seconds float8)
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return query
  select j.task_identifier,
         (count(*) filter (where s.is_free and s.is_left and j.run_at <= now()))::int,
         (count(*) filter (where not s.is_free))::int,
         (count(*) filter (where s.is_free and s.is_left and j.run_at > now()))::int,
         (count(*) filter (where s.is_free and not s.is_left))::int,
         coalesce(extract(epoch from now() - min(j.run_at) filter (where s.is_free and s.is_left and j.run_at <= now())), 0)::float8
    from graphile_worker.jobs j
   cross join lateral (
     select j.locked_at is null as is_free, j.attempts < j.max_attempts as is_left
   ) s
   group by j.task_identifier;
end $$;
revoke execute on function queue_depths() from public;
grant execute on function queue_depths() to earshot_worker;
