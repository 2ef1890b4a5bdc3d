-- Finds the survey that a public request names, `survey:<id>`, as the place that a public key would name. A draft is not public.
create or replace function survey_of_key(p_key text) returns public.public_keys language plpgsql stable as $$
begin
  return (
    select jsonb_populate_record(null::public.public_keys, jsonb_build_object('team_id', s.team_id, 'project_id', s.project_id))
      from public.key_routes w
     cross join lateral (
       select s.team_id, s.project_id
         from public.surveys s
        where s.team_id = w.team_id and s.project_id = w.project_id and s.id = w.record_id
          and p_key = 'survey:' || s.id and s.status <> 'draft' and s.deleted_at is null
        limit 1
     ) s
     where w.key_hash = sha256(convert_to(p_key, 'UTF8'))
  );
end $$;
