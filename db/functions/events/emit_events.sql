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
  v_payloads text[];
  v_hashes text[];
  v_about_endpoints uuid[];

  v_are_about_endpoints boolean;
  v_data json;
  v_number int;
  v_has_endpoints boolean;
  -- Null without claims, and for a worker that was taken for dead.
  v_worker int;
  -- Of deliveries to an endpoint that gets nothing.
  v_skipped_numbers int[];
  v_skipped_endpoints uuid[];
  v_nothing text;
begin
  v_are_about_endpoints := p_type like 'webhook.%';
  v_number := 0;
  foreach v_data in array coalesce(p_data, '{}') loop
    v_number := v_number + 1;
    ids[v_number] := uuidv7();
    v_payloads[v_number] := event_body(ids[v_number], p_teams[v_number], p_projects[v_number], p_type, v_data);
    v_hashes[v_number] := encode(sha256(convert_to(v_payloads[v_number], 'UTF8')), 'hex');
    if v_are_about_endpoints then
      v_about_endpoints[v_number] := (v_data #>> '{endpoint,id}')::uuid;
    end if;
  end loop;
  with event as (
    insert into events (team_id, id, project_id, type, payload, payload_sha256)
    select e.team_id, e.id, e.project_id, p_type, e.payload, e.payload_sha256
      from unnest(p_teams, ids, p_projects, v_payloads, v_hashes) e (team_id, id, project_id, payload, payload_sha256)
  ),
  unnumbered as (
    insert into unnumbered_events (team_id, event_id, type)
    select e.team_id, e.id, p_type
      from unnest(p_teams, ids) e (team_id, id)
  )
  select exists (select from webhook_endpoints e where e.team_id = any (p_teams) and e.deleted_at is null)
    into v_has_endpoints;

  is_due := false;
  if v_has_endpoints then
    if p_claims is not null then
      v_worker := (select w.id from webhook_workers w where w.id = (p_claims ->> 'worker_id')::int);
    end if;
    -- The ids are made here, so that nothing has to be joined to what the inserts return.
    with wanted as materialized (
      select n.*, uuidv7() as id, case when n.is_claimed then uuidv7() end as attempt_id
        from (
               select v.number::int as number, v.team_id, e.id as endpoint_id, v.event_id, v.payload_sha256,
                      coalesce(p_due_from + (v.number - 1) * p_pace_ms * interval '1 millisecond', now()) as due_at,
                      e.state = 'active' and team_has_feature(e.team_id, 'webhooks') as is_sendable,
                      v_worker is not null and e.max_per_second is null
                        and v.number <= coalesce((p_claims -> 'slots' ->> e.id::text)::int, 0) as is_claimed,
                      e.url, e.local_trial, e.secret, e.signing_key, e.format, e.header_values,
                      case when e.previous_secret_expires_at > now() then e.previous_secret end as previous_secret,
                      case when e.previous_secret_expires_at > now() then e.previous_signing_key end as previous_signing_key
                 from unnest(p_teams, p_projects, ids, v_hashes, v_about_endpoints)
                        with ordinality v (team_id, project_id, event_id, payload_sha256, about_endpoint_id, number)
                 join webhook_endpoints e on e.team_id = v.team_id
                where e.deleted_at is null
                  and (e.project_id is null or e.project_id = v.project_id)
                  -- `*` leaves out what is about endpoints: if a hundred that want all failed, each would get it of ninety-nine.
                  and e.events && case when v_are_about_endpoints then array[p_type] else array[p_type, '*'] end
                  -- An event about an endpoint, which its data names, is never for that endpoint.
                  and (v.about_endpoint_id is null or e.id <> v.about_endpoint_id)
             ) n
    ),
    delivery as (
      insert into webhook_deliveries (
        team_id, id, endpoint_id, event_id, event_type, payload_sha256, next_attempt_at,
        state, attempt_count, attempt_id, worker_id, lease_until
      )
      select team_id, id, endpoint_id, event_id, p_type, payload_sha256, case when not is_claimed then due_at end,
             case when is_claimed then 'sending' else 'pending' end, is_claimed::int, attempt_id,
             case when is_claimed then v_worker end,
             case when is_claimed then now() + (p_claims ->> 'lease_seconds')::int * interval '1 second' end
        from wanted
       where is_sendable
    ),
    begun as (
      insert into webhook_attempts (team_id, id, delivery_id, endpoint_id, number, trigger, worker_id, started_at)
      select team_id, attempt_id, id, endpoint_id, 1, 'auto', v_worker, now()
        from wanted
       where is_sendable and is_claimed
    )
    select coalesce(bool_or(w.is_sendable and not w.is_claimed), false),
           array_agg(w.number) filter (where not w.is_sendable),
           array_agg(w.endpoint_id) filter (where not w.is_sendable),
           json_agg(
             json_build_object(
               'id', w.id, 'team_id', w.team_id, 'endpoint_id', w.endpoint_id, 'event_id', w.event_id, 'event_type', p_type,
               'attempt_id', w.attempt_id, 'number', 1, 'trigger', 'auto', 'due_at', now(), 'waited', 0,
               'url', w.url, 'local_trial', w.local_trial, 'secret', w.secret, 'signing_key', w.signing_key,
               'previous_secret', w.previous_secret, 'previous_signing_key', w.previous_signing_key,
               'format', w.format, 'header_values', w.header_values, 'payload', v_payloads[w.number],
               'claimed_at', floor(extract(epoch from now())), 'limited_for_ms', null
             )
           ) filter (where w.is_sendable and w.is_claimed)
      into is_due, v_skipped_numbers, v_skipped_endpoints, claimed
      from wanted w;
    if v_skipped_numbers <> '{}' then
      insert into webhook_delivery_history (team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count)
      select p_teams[n.number], uuidv7(), n.endpoint_id, ids[n.number], p_type, v_hashes[n.number], 'skipped', 'auto', 0
        from unnest(v_skipped_numbers, v_skipped_endpoints) n (number, endpoint_id);
    end if;
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
