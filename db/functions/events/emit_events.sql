-- Writes events of one type, their entries for the numbering of the change feed, and a delivery for each endpoint that
-- subscribes to them, in one statement for all events and one for all deliveries: most of an insert of one row is its
-- preparation. The arrays hold one value per event. Deliveries are due now; or from p_due_from on, p_pace_ms apart, so that
-- those of other events find a place between them.
-- p_claims: {worker_id, lease_seconds, slots: {endpoint id: count}}, what a worker of the caller's process has slots for; null
-- for none. Deliveries of as many events to such an endpoint are written as claimed (db/src/dispatch/claim.ts). One with a limit
-- gets its deliveries by claims alone.
-- ids: of the events. claimed: an array with what sending needs of each claimed delivery, as a claim returns it (a test holds the
-- two equal); null without any. is_due: whether a delivery is left for claims.
-- No queue job and no NOTIFY while workers are busy: their polls find the deliveries.
create or replace function emit_and_claim(
  p_type text,
  p_teams uuid[],
  p_projects uuid[],
  p_data json[],
  p_due_from timestamptz,
  p_pace_ms int,
  p_claims jsonb,
  out ids uuid[],
  out claimed json,
  out is_due boolean
) language plpgsql as $$
declare
  -- Each holds one value per event, in the same order.
  v_teams uuid[];
  v_projects uuid[];
  v_payloads text[];
  v_hashes text[];
  v_endpoints uuid[];
  v_has_endpoints boolean;
  -- Null without claims, and for a worker that was taken for dead.
  v_worker int;
  v_nothing text;
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
    returning team_id, id, project_id, payload, payload_sha256,
              case when p_type like 'webhook.%' then (payload::json #>> '{data,endpoint,id}')::uuid end as about_endpoint_id
  ),
  unnumbered as (
    insert into unnumbered_events (team_id, event_id, type)
    select v.team_id, v.id, p_type
      from event v
  )
  select array_agg(v.id), array_agg(v.team_id), array_agg(v.project_id), array_agg(v.payload) filter (where p_claims is not null), array_agg(v.payload_sha256),
         array_agg(v.about_endpoint_id),
         exists (select from webhook_endpoints e where e.team_id = any (p_teams) and e.deleted_at is null)
    into ids, v_teams, v_projects, v_payloads, v_hashes, v_endpoints, v_has_endpoints
    from event v;

  is_due := false;
  if v_has_endpoints then
    if p_claims is not null then
      v_worker := (select w.id from webhook_workers w where w.id = (p_claims ->> 'worker_id')::int);
    end if;
    with wanted as materialized (
      select v.team_id, e.id as endpoint_id, v.event_id, v.payload_sha256,
             coalesce(p_due_from + (v.number - 1) * p_pace_ms * interval '1 millisecond', now()) as due_at,
             e.state = 'active' and team_has_feature(e.team_id, 'webhooks') as is_sendable,
             v_worker is not null and e.max_per_second is null
               and v.number <= coalesce((p_claims -> 'slots' ->> e.id::text)::int, 0) as is_claimed
        from unnest(v_teams, v_projects, ids, v_hashes, v_endpoints)
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
      insert into webhook_deliveries (
        team_id, endpoint_id, event_id, event_type, payload_sha256, next_attempt_at,
        state, attempt_count, attempt_id, worker_id, lease_until
      )
      select team_id, endpoint_id, event_id, p_type, payload_sha256, case when not is_claimed then due_at end,
             case when is_claimed then 'sending' else 'pending' end, is_claimed::int, case when is_claimed then uuidv7() end,
             case when is_claimed then v_worker end,
             case when is_claimed then now() + (p_claims ->> 'lease_seconds')::int * interval '1 second' end
        from wanted
       where is_sendable
      returning team_id, id, endpoint_id, event_id, attempt_id
    ),
    begun as (
      insert into webhook_attempts (team_id, id, delivery_id, endpoint_id, number, trigger, worker_id, started_at)
      select team_id, attempt_id, id, endpoint_id, 1, 'auto', v_worker, now()
        from delivery
       where attempt_id is not null
    ),
    skipped as (
      insert into webhook_delivery_history (team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count)
      select team_id, uuidv7(), endpoint_id, event_id, p_type, payload_sha256, 'skipped', 'auto', 0
        from wanted
       where not is_sendable
    )
    select coalesce(bool_or(d.attempt_id is null), false),
           json_agg(
             json_build_object(
               'id', d.id, 'team_id', d.team_id, 'endpoint_id', d.endpoint_id, 'event_id', d.event_id, 'event_type', p_type,
               'attempt_id', d.attempt_id, 'number', 1, 'trigger', 'auto', 'due_at', now(), 'waited', 0,
               'url', e.url, 'local_trial', e.local_trial, 'secret', e.secret, 'signing_key', e.signing_key,
               'previous_secret', case when e.previous_secret_expires_at > now() then e.previous_secret end,
               'previous_signing_key', case when e.previous_secret_expires_at > now() then e.previous_signing_key end,
               'format', e.format, 'header_values', e.header_values,
               'payload', v_payloads[array_position(ids, d.event_id)],
               'claimed_at', floor(extract(epoch from now())), 'limited_for_ms', null
             )
           ) filter (where d.attempt_id is not null)
      into is_due, claimed
      from delivery d
      left join webhook_endpoints e on e.team_id = d.team_id and e.id = d.endpoint_id and d.attempt_id is not null;
  end if;
  -- A worker that claims is not idle, and does all else that events need.
  if is_due or v_worker is null then
    -- Assigned, because perform would start a query.
    v_nothing := wake_workers();
  end if;
end $$;

-- Does the same without claims. Returns the events' ids.
create or replace function emit_events(
  p_type text,
  p_teams uuid[],
  p_projects uuid[],
  p_data json[],
  p_due_from timestamptz default null,
  p_pace_ms int default 0
) returns uuid[] language plpgsql as $$
declare
  v_emitted record;
begin
  v_emitted := emit_and_claim(p_type, p_teams, p_projects, p_data, p_due_from, p_pace_ms, null);
  return v_emitted.ids;
end $$;
