-- Metadata that a merge made too large is refused, as it would be at once (contracts: sizes.metadataBytes). PostgreSQL
-- writes blanks that the caller need not have written, at worst one for each two bytes: so the bound is half as much again.
create or replace function checked_metadata(p_metadata jsonb) returns jsonb
language plpgsql immutable as $$
begin
  if octet_length(p_metadata::text) > 24576 then
    perform refuse('validation_error', jsonb_build_object('errors', jsonb_build_array(jsonb_build_object(
      'field', 'metadata', 'code', 'too_big', 'detail', 'must be at most 16 KB of JSON after the merge'))));
  end if;
  return p_metadata;
end $$;
