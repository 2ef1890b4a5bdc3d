-- Whether a replay sends an event of this type and project: by the filters of its endpoint, null for any, and never what only
-- tried one.
create or replace function is_replayed(p_type text, p_project uuid, p_types text[], p_only_project uuid) returns boolean
language sql immutable as $$
  select p_type <> 'webhook.test'
     and (p_types is null or p_type = any (p_types))
     and (p_only_project is null or p_project is not distinct from p_only_project)
$$;
