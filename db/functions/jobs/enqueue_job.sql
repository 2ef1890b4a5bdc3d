-- Adds a job to the queue, in the transaction of what causes it. With the owner's rights, because the queue's tables are the
-- owner's alone. Jobs of one named queue run one at a time. Adding a job issues a NOTIFY, which costs writes their rate: hot paths do not enqueue.
create or replace function enqueue_job(p_name text, p_payload json, p_max_attempts int default null, p_queue text default null) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform graphile_worker.add_job(p_name, p_payload, queue_name => p_queue, max_attempts => p_max_attempts);
end $$;
revoke execute on function enqueue_job(text, json, int, text) from public;
grant execute on function enqueue_job(text, json, int, text) to earshot_app, earshot_worker;
