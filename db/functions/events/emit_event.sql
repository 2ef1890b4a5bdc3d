-- Writes an event, and a delivery for each endpoint that subscribes to it. No queue job and no NOTIFY: a NOTIFY at commit
-- costs three quarters of the write rate, and the dispatcher's poll finds the deliveries.
create or replace function emit_event(
  p_team uuid,
  p_project uuid,
  p_type text,
  p_data json
) returns uuid language plpgsql as $$
declare
  v_id uuid := uuidv7();
  v_payload text := event_body(v_id, p_team, p_project, p_type, p_data);
  v_sha256 text := encode(sha256(convert_to(v_payload, 'UTF8')), 'hex');
begin
  insert into events (team_id, id, project_id, type, payload, payload_sha256)
  values (p_team, v_id, p_project, p_type, v_payload, v_sha256);

  insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, state, next_attempt_at)
  select e.team_id, e.id, v_id, p_type, v_sha256,
         case when sendable then 'pending' else 'skipped' end,
         case when sendable then now() end
    from webhook_endpoints e
   -- Evaluated once, for the first endpoint that subscribes: a team without endpoints does not pay for it.
   cross join lateral (select e.state = 'active' and (select team_has_feature(p_team, 'webhooks')) as sendable) s
   where e.team_id = p_team
     and e.deleted_at is null
     and (e.project_id is null or e.project_id = p_project)
     and e.events && array[p_type, '*'];

  return v_id;
end $$;
