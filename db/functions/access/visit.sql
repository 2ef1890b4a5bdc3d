-- A visitor of the public plane: counts the request by address, and finds the project that the public key identifies.
-- used null = over the limit; project_id null = no such key, or it was revoked, which look the same.
-- p_subject null = counted before. blocked_seconds not null = the address is blocked for repeated trips of limits.
-- Runs as the owner with every name qualified, like access().
-- The project's public figures come along: a list needs no third round trip for them.
create or replace function visit(
  p_public_key text,
  p_subject text,
  p_address text,
  p_max int,
  p_window_seconds int,
  out team_id uuid,
  out project_id uuid,
  out public_count int,
  out rated_count int,
  out rating_sum int,
  out used int,
  out reset_seconds int,
  out blocked_seconds int
) language plpgsql security definer as $$
#variable_conflict use_column
declare
  v_count record;
  v_key_id uuid;
  v_last_used_at timestamptz;
begin
  if p_subject is null then
    used := 0;
    reset_seconds := 0;
  else
    select ceil(extract(epoch from b.blocked_until - now()))::int
      into blocked_seconds
      from public.abuse_blocks b
     where b.address = p_address and b.blocked_until > now();
    if found then
      reset_seconds := blocked_seconds;
      return;
    end if;
    v_count := public.count_request(p_subject, p_max, p_window_seconds);
    used := v_count.used;
    reset_seconds := v_count.reset_seconds;
    if v_count.tripped then
      blocked_seconds := public.record_trip(p_address);
      reset_seconds := coalesce(blocked_seconds, reset_seconds);
    end if;
  end if;
  if used is null or p_public_key is null then
    return;
  end if;

  select k.id, k.last_used_at, j.team_id, j.id, coalesce(c.public_count, 0), coalesce(c.rated_count, 0), coalesce(c.rating_sum, 0)
    into v_key_id, v_last_used_at, team_id, project_id, public_count, rated_count, rating_sum
    from public.public_keys k
    join public.projects j on j.team_id = k.team_id and j.id = k.project_id and j.deleted_at is null
    join public.teams t on t.id = k.team_id and t.deleted_at is null
    left join public.project_counters c on c.team_id = j.team_id and c.project_id = j.id
   where k.key = p_public_key and k.revoked_at is null;

  if v_key_id is not null and (v_last_used_at is null or v_last_used_at < now() - interval '1 minute') then
    -- Skips when another visitor is just writing it: this figure is coarse.
    update public.public_keys k
       set last_used_at = now()
     where (k.team_id, k.project_id, k.id) in (
       select q.team_id, q.project_id, q.id
         from public.public_keys q
        where q.team_id = visit.team_id and q.project_id = visit.project_id and q.id = v_key_id
          for update skip locked
     );
  end if;
end $$;
