-- Stores a batch of public submissions in one commit. One row per item, in the same order.
-- p_items: numbered from 1, each with its fields and, hexadecimal, fingerprint and revoke_token_hash. p_access: the row of
-- public_access() of each item, in their order. The same fingerprint within ten minutes is the first submission again (is_repeat).
-- An item leaves nothing behind when used or project_id is null (over the limit, or no such key), or when quota_max is not
-- null: the quota is used up.
-- p_claims and is_due are those of emit_and_claim(), for all items together; the first row alone has what was claimed.
-- Locks the counters of addresses in public_access(), and then as admit_records() does.
create or replace function receive_submissions(p_items jsonb, p_access public_access_row[], p_claims jsonb) returns table (
  team_id uuid,
  project_id uuid,
  public_count int,
  rated_count int,
  rating_sum int,
  used int,
  reset_seconds int,
  blocked_seconds int,
  id uuid,
  created_at timestamptz,
  is_repeat boolean,
  quota_used int,
  quota_max int,
  quota_resets_at timestamptz,
  claimed json,
  is_due boolean
) language plpgsql as $$
declare
  v_number int;
  v_item jsonb;
  v_access public_access_row;
  v_admitted record;
  -- Each holds one value per item, at the item's number; the team is null where the item is not admitted.
  v_teams uuid[];
  v_projects uuid[];
  v_new_ids uuid[];
  v_fingerprints bytea[];
  -- Each holds one value per submission that is stored.
  v_stored_teams uuid[];
  v_stored_projects uuid[];
  v_stored_ids uuid[];
  v_fields jsonb[];
  v_token_hashes bytea[];
  v_stored record;
  v_refusal quota_status;
begin
  is_due := false;
  -- One item is the usual case: to start a query costs more than many of these expressions.
  foreach v_access in array p_access loop
    v_number := v_access.number;
    v_teams[v_number] := case when v_access.used is not null and v_access.project_id is not null then v_access.team_id end;
    v_projects[v_number] := v_access.project_id;
    v_new_ids[v_number] := uuidv7();
    v_fingerprints[v_number] := decode(p_items -> (v_number - 1) ->> 'fingerprint', 'hex');
  end loop;
  v_admitted := admit_records('submissions', v_teams, v_projects, v_new_ids, v_fingerprints);

  for v_number in 1 .. cardinality(p_access) loop
    if v_admitted.ids[v_number] = v_new_ids[v_number] and v_admitted.refusals[v_number] is null then
      v_item := p_items -> (v_number - 1);
      v_stored_teams := array_append(v_stored_teams, v_teams[v_number]);
      v_stored_projects := array_append(v_stored_projects, v_projects[v_number]);
      v_stored_ids := array_append(v_stored_ids, v_new_ids[v_number]);
      v_fields := array_append(v_fields, v_item -> 'fields');
      v_token_hashes := array_append(v_token_hashes, decode(v_item ->> 'revoke_token_hash', 'hex'));
    end if;
  end loop;
  -- A role that policies bind receives one submission at a time, whose team is set.
  if cardinality(v_stored_ids) > 0 then
    v_stored := store_submissions(v_stored_teams, v_stored_projects, v_stored_ids, v_fields, v_token_hashes, p_claims);
    claimed := v_stored.claimed;
    is_due := v_stored.is_due;
  end if;

  foreach v_access in array p_access loop
    v_refusal := v_admitted.refusals[v_access.number];
    team_id := v_access.team_id;
    project_id := v_access.project_id;
    public_count := v_access.public_count;
    rated_count := v_access.rated_count;
    rating_sum := v_access.rating_sum;
    used := v_access.used;
    reset_seconds := v_access.reset_seconds;
    blocked_seconds := v_access.blocked_seconds;
    id := v_admitted.ids[v_access.number];
    created_at := uuid_extract_timestamp(id);
    is_repeat := id <> v_new_ids[v_access.number];
    quota_used := v_refusal.used;
    quota_max := v_refusal.max;
    quota_resets_at := v_refusal.resets_at;
    return next;
    claimed := null;
  end loop;
end $$;
