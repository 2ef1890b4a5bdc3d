-- Notifies idle workers of work, at the commit. With the owner's rights, because requests know nothing of workers. While no
-- worker is idle it costs one look into an empty index: a NOTIFY at each commit would cost three quarters of the write rate.
create or replace function wake_workers() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from webhook_workers where is_idle) then
    perform pg_notify('earshot:work', '');
  end if;
end $$;
revoke execute on function wake_workers() from public;
grant execute on function wake_workers() to earshot_app, earshot_worker;
