-- Counts jobs that a worker of the queue could take now, up to p_max. With the owner's rights, because the queue's tables are
-- the owner's alone. Asks as the queue itself does: is_available is a job or a named queue that nobody has locked.
create or replace function ready_jobs(p_max int) returns int
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return (
    select count(*)
      from (
             select
               from graphile_worker._private_jobs j
              where j.is_available and j.run_at <= now()
                and (j.job_queue_id is null or exists (
                      select from graphile_worker._private_job_queues q where q.id = j.job_queue_id and q.is_available
                    ))
              limit p_max
           ) ready
  );
end $$;
revoke execute on function ready_jobs(int) from public;
grant execute on function ready_jobs(int) to earshot_worker;
