-- Returns the text of an event as it is stored, signed and sent.
create or replace function event_body(
  p_id uuid,
  p_team uuid,
  p_project uuid,
  p_type text,
  p_data json
) returns text language sql stable as $$
  select json_build_object(
    'id', p_id,
    'type', p_type,
    'api_version', 'v1',
    'created_at', iso_timestamp(uuid_extract_timestamp(p_id)),
    'team_id', p_team,
    'project_id', p_project,
    'data', p_data
  )::text
$$;
