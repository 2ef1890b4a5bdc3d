-- A new key signs from now on; the one before it verifies a while longer.
create or replace function rotate_jwt_key(
  p_id text,
  p_public_key jsonb,
  p_sealed_private bytea,
  p_overlap_seconds int,
  out retired_id text,
  out retires_at timestamptz
) language plpgsql as $$
#variable_conflict use_column
begin
  -- Rotations take turns, so that the second finds the key of the first. Whoever reads keys waits for neither.
  lock table jwt_keys in share row exclusive mode;

  -- By the clock: now() may lie before a wait for the lock.
  update jwt_keys k
     set retires_at = clock_timestamp() + p_overlap_seconds * interval '1 second'
   where k.retires_at is null
  returning k.id, k.retires_at
       into retired_id, retires_at;

  insert into jwt_keys (id, public_key, sealed_private)
  values (p_id, p_public_key, p_sealed_private);
end $$;
