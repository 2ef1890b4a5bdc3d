-- Frees the jobs of worker pools that died: the queue itself waits four hours for them. With the owner's rights, because
-- the queue's tables are the owner's alone.
create or replace function free_jobs(p_pools text[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if cardinality(p_pools) > 0 then
    perform graphile_worker.force_unlock_workers(p_pools);
  end if;
end $$;
revoke execute on function free_jobs(text[]) from public;
grant execute on function free_jobs(text[]) to earshot_worker;
