-- Writes events of one type, their entries for the numbering of the change feed, and a delivery for each endpoint that
-- subscribes to them, in one statement for all events and one for all deliveries: most of an insert of one row is its
-- preparation. The arrays hold one value per event. Returns the events' ids. Deliveries are due now; or from p_due_from on,
-- p_pace_ms apart, so that those of other events find a place between them.
-- No queue job and no NOTIFY while workers are busy: their polls find the deliveries.
create or replace function emit_events(
  p_type text,
  p_teams uuid[],
  p_projects uuid[],
  p_data json[],
  p_due_from timestamptz default null,
  p_pace_ms int default 0
) returns uuid[] language plpgsql as $$
declare
  -- Each holds one value per event, in the same order.
  v_ids uuid[];
  v_teams uuid[];
  v_projects uuid[];
  v_hashes text[];
  v_endpoints uuid[];
  v_has_endpoints boolean;
begin
  with new_event as materialized (
    select e.team_id, e.project_id, e.id, event_body(e.id, e.team_id, e.project_id, p_type, e.data) as payload
      from (
             select n.*, uuidv7() as id
               from unnest(p_teams, p_projects, p_data) n (team_id, project_id, data)
           ) e
  ),
  event as (
    insert into events (team_id, id, project_id, type, payload, payload_sha256)
    select n.team_id, n.id, n.project_id, p_type, n.payload, encode(sha256(convert_to(n.payload, 'UTF8')), 'hex')
      from new_event n
    returning team_id, id, project_id, payload_sha256,
              case when p_type like 'webhook.%' then (payload::json #>> '{data,endpoint,id}')::uuid end as about_endpoint_id
  ),
  unnumbered as (
    insert into unnumbered_events (team_id, event_id, type)
    select v.team_id, v.id, p_type
      from event v
  )
  select array_agg(v.id), array_agg(v.team_id), array_agg(v.project_id), array_agg(v.payload_sha256), array_agg(v.about_endpoint_id),
         exists (select from webhook_endpoints e where e.team_id = any (p_teams) and e.deleted_at is null)
    into v_ids, v_teams, v_projects, v_hashes, v_endpoints, v_has_endpoints
    from event v;

  if v_has_endpoints then
    with wanted as materialized (
      select v.team_id, e.id as endpoint_id, v.event_id, v.payload_sha256,
             coalesce(p_due_from + (v.number - 1) * p_pace_ms * interval '1 millisecond', now()) as due_at,
             e.state = 'active' and team_has_feature(e.team_id, 'webhooks') as is_sendable
        from unnest(v_teams, v_projects, v_ids, v_hashes, v_endpoints)
               with ordinality v (team_id, project_id, event_id, payload_sha256, about_endpoint_id, number)
        join webhook_endpoints e on e.team_id = v.team_id
       where e.deleted_at is null
         and (e.project_id is null or e.project_id = v.project_id)
         -- `*` leaves out what is about endpoints: if a hundred that want all failed, each would get it of ninety-nine.
         and e.events && case when p_type like 'webhook.%' then array[p_type] else array[p_type, '*'] end
         -- An event about an endpoint, which its data names, is never for that endpoint.
         and (v.about_endpoint_id is null or e.id <> v.about_endpoint_id)
    ),
    delivery as (
      insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, next_attempt_at)
      select team_id, endpoint_id, event_id, p_type, payload_sha256, due_at
        from wanted
       where is_sendable
    )
    insert into webhook_delivery_history (team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count)
    select team_id, uuidv7(), endpoint_id, event_id, p_type, payload_sha256, 'skipped', 'auto', 0
      from wanted
     where not is_sendable;
  end if;
  perform wake_workers();
  return v_ids;
end $$;
