-- Begins to send the events of a time to an endpoint once more, and counts them. A count looks at the events of the time
-- alone, by the key of their table, and at no more than p_max: a longer time is refused.
create or replace function begin_replay(
  p_actor actor,
  p_team uuid,
  p_endpoint uuid,
  p_from timestamptz,
  p_to timestamptz,
  p_types text[],
  p_max int,
  out replay_id uuid,
  out matched int
) language plpgsql as $$
declare
  e webhook_endpoints;
  v_types text[];
  v_after uuid := uuid_at(p_from);
  -- What happens from now on is delivered anyway.
  v_before uuid := uuid_at(least(p_to, clock_timestamp() + interval '1 millisecond'));
  v_looked_at int;
begin
  select * into e
    from webhook_endpoints
   where team_id = p_team and id = p_endpoint and deleted_at is null;
  if not found then
    perform refuse('not_found');
  end if;
  if e.state <> 'active' then
    perform refuse('state_conflict', jsonb_build_object('current_state', e.state));
  end if;

  v_types := case
    when '*' = any (e.events) then p_types
    when p_types is null then e.events
    else array(select unnest(e.events) intersect select unnest(p_types))
  end;
  select count(*), count(*) filter (where is_replayed(v.type, v.project_id, v_types, e.project_id)) into v_looked_at, matched
    from (
      select type, project_id
        from events
       where team_id = p_team and id > v_after and id < v_before
       limit p_max + 1
    ) v;
  if v_looked_at > p_max then
    perform refuse('validation_error', jsonb_build_object('errors', jsonb_build_array(jsonb_build_object(
      'field', 'to', 'code', 'too_many_events', 'detail', format('there are more than %s events between; replay a shorter time', p_max)))));
  end if;

  insert into webhook_replays (team_id, endpoint_id, project_id, types, after_event_id, before_event_id)
  values (p_team, p_endpoint, e.project_id, v_types, v_after, v_before)
  returning id into replay_id;
  perform queue_replay(p_team, replay_id);
  perform record_audit(p_actor, p_team, e.project_id, 'webhook.replayed', 'webhook', p_endpoint);
end $$;
