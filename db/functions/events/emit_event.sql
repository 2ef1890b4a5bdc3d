-- Writes an event, and a delivery for each endpoint that subscribes to it.
create or replace function emit_event(
  p_team uuid,
  p_project uuid,
  p_type text,
  p_data json
) returns uuid language sql as $$
  select (emit_events(p_type, array[p_team], array[p_project], array[p_data]))[1]
$$;
