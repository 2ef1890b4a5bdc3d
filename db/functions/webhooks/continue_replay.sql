-- Makes the next deliveries of a replay and notes how far it came, both or neither: whoever dies, no event is left out and
-- none comes twice. Returns whether there is more to make.
create or replace function continue_replay(p_team uuid, p_replay uuid, p_max int) returns boolean
language plpgsql as $$
declare
  r webhook_replays;
  v_made uuid[];
begin
  -- A second process at the same job, as after a pause, waits here and goes on where the first one ended.
  select * into r
    from webhook_replays
   where team_id = p_team and id = p_replay
     for update;
  if not found then
    return false;
  end if;

  with batch as materialized (
    select v.id, v.type, v.payload_sha256
      from events v
     where v.team_id = p_team and v.id > r.after_event_id and v.id < r.before_event_id
       and is_replayed(v.type, v.project_id, r.types, r.project_id)
       -- Nothing more for one that was deleted meanwhile.
       and exists (select from webhook_endpoints e where e.team_id = p_team and e.id = r.endpoint_id and e.deleted_at is null)
     order by v.id
     limit p_max
  ),
  made as (
    insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, trigger, replay_id)
    select p_team, r.endpoint_id, b.id, b.type, b.payload_sha256, 'replay', p_replay
      from batch b
     order by b.id
  )
  select array_agg(id order by id) into v_made
    from batch;

  if coalesce(cardinality(v_made), 0) < p_max then
    delete from webhook_replays
     where team_id = p_team and id = p_replay;
    return false;
  end if;
  update webhook_replays
     set after_event_id = v_made[p_max]
   where team_id = p_team and id = p_replay;
  return true;
end $$;
