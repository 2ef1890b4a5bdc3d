-- A delivery that tries an endpoint, due before all else that waits for it. Its event is at position 0 of the feed, which lies
-- behind every cursor: no list shows it, and it is never numbered.
create or replace function begin_test_delivery(
  p_actor actor,
  p_team uuid,
  p_endpoint uuid
) returns uuid language plpgsql as $$
declare
  v_endpoint webhook_endpoints;
  v_event uuid := uuidv7();
  v_payload text;
  v_sha256 text;
  v_delivery uuid;
begin
  select * into v_endpoint
    from webhook_endpoints
   where team_id = p_team and id = p_endpoint and deleted_at is null;
  if not found then
    perform refuse('not_found');
  end if;
  if v_endpoint.state <> 'active' then
    perform refuse('state_conflict', jsonb_build_object('current_state', v_endpoint.state));
  end if;

  v_payload := event_body(v_event, p_team, v_endpoint.project_id, 'webhook.test',
    json_build_object('endpoint', json_build_object('id', p_endpoint, 'url', v_endpoint.url)));
  v_sha256 := encode(sha256(convert_to(v_payload, 'UTF8')), 'hex');
  insert into events (team_id, id, project_id, type, payload, payload_sha256, feed_position)
  values (p_team, v_event, v_endpoint.project_id, 'webhook.test', v_payload, v_sha256, 0);

  insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, trigger, next_attempt_at)
  select p_team, p_endpoint, v_event, 'webhook.test', v_sha256, 'test',
         -- One look at the index of what is due.
         least(now(), min(d.next_attempt_at) - interval '1 millisecond')
    from webhook_deliveries d
   where d.state = 'pending' and d.endpoint_id = p_endpoint
  returning id into v_delivery;

  perform record_audit(p_actor, p_team, v_endpoint.project_id, 'webhook.tested', 'webhook', p_endpoint);
  return v_delivery;
end $$;
