-- JSON Merge Patch (RFC 7396 §2): null removes a member, an object is merged, everything else replaces.
create or replace function merge_patch(p_target jsonb, p_patch jsonb) returns jsonb
language plpgsql immutable as $$
declare
  v_key text;
  v_value jsonb;
  v_merged jsonb := case when jsonb_typeof(p_target) = 'object' then p_target else '{}' end;
begin
  if jsonb_typeof(p_patch) <> 'object' then
    return p_patch;
  end if;
  for v_key, v_value in select * from jsonb_each(p_patch) loop
    v_merged := case
      when v_value = 'null' then v_merged - v_key
      else v_merged || jsonb_build_object(v_key, merge_patch(v_merged -> v_key, v_value))
    end;
  end loop;
  return v_merged;
end $$;
