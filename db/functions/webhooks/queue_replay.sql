-- The job that makes a replay's deliveries. With the owner's rights, because the queue's tables are the owner's.
create or replace function queue_replay(p_team uuid, p_replay uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform graphile_worker.add_job('replay', json_build_object('team_id', p_team, 'replay_id', p_replay));
end $$;
revoke execute on function queue_replay(uuid, uuid) from public;
grant execute on function queue_replay(uuid, uuid) to earshot_app, earshot_worker;
