-- Authorizes a request: finds its caller, and the team and project of the path if the caller may see them. One call for every
-- authenticated request, nothing cached.
-- The hash is that of the credential's value, or of an access token that it handed out. Each has a select of its own: one over
-- both opens two tables more, for an eighth of the call.
-- Reads as: no credential_id and not expired = unknown; used null = over the limit;
-- team_id null although asked = not the caller's; project_id null although asked = not in that team.
-- any_api_access is set where the request names no team; else the plan says it.
-- p_max null: the request was counted when it began and continues; nothing is counted.
-- Runs as the owner with every name qualified: a `set search_path` clause costs an eighth of the call. The counter is called
-- as an expression: `select * from` it would keep its one row in a store first, for a twelfth of the call.
create or replace function access(
  p_hash bytea,
  p_is_access_token boolean,
  p_team uuid,
  p_project uuid,
  p_origin text,
  p_max int,
  p_window_seconds int,
  p_unknown_subject text,
  p_unknown_max int,
  p_unknown_window_seconds int,
  out credential_id uuid,
  out credential_kind text,
  out expires_at timestamptz,
  out expired boolean,
  out user_id uuid,
  out scopes text[],
  out team_id uuid,
  out role text,
  out plan text,
  out any_api_access boolean,
  out project_id uuid,
  out origin_allowed boolean,
  out used int,
  out reset_seconds int
) language plpgsql security definer as $$
#variable_conflict use_column
declare
  v_last_used_at timestamptz;
  v_count record;
begin
  if p_is_access_token then
    select c.id, c.kind, a.expires_at, coalesce(a.expires_at <= now(), false), c.user_id, a.scopes, c.last_used_at,
           t.id, m.role, t.plan, j.id,
           p_origin is null or p_origin = any (t.cors_origins)
      into credential_id, credential_kind, expires_at, expired, user_id, scopes, v_last_used_at,
           team_id, role, plan, project_id, origin_allowed
      from public.access_tokens a
      join public.credentials c on c.id = a.credential_id and c.revoked_at is null
      join public.users u on u.id = c.user_id and u.disabled_at is null
      left join public.memberships m on m.user_id = u.id and m.team_id = p_team
      left join public.teams t on t.id = m.team_id and t.deleted_at is null
      left join public.projects j on j.team_id = t.id and j.id = p_project and j.deleted_at is null
     where a.hash = p_hash;
  else
    select c.id, c.kind, c.expires_at, coalesce(c.expires_at <= now(), false), c.user_id, c.scopes, c.last_used_at,
           t.id, m.role, t.plan, j.id,
           p_origin is null or p_origin = any (t.cors_origins)
      into credential_id, credential_kind, expires_at, expired, user_id, scopes, v_last_used_at,
           team_id, role, plan, project_id, origin_allowed
      from public.credentials c
      join public.users u on u.id = c.user_id and u.disabled_at is null
      left join public.memberships m on m.user_id = u.id and m.team_id = p_team
      left join public.teams t on t.id = m.team_id and t.deleted_at is null
      left join public.projects j on j.team_id = t.id and j.id = p_project and j.deleted_at is null
     where c.hash = p_hash and c.revoked_at is null;
  end if;

  if credential_id is null or expired then
    credential_id := null;
    if p_max is null then
      return;
    end if;
    v_count := public.count_request(p_unknown_subject, p_unknown_max, p_unknown_window_seconds);
    used := v_count.used;
    reset_seconds := v_count.reset_seconds;
    return;
  end if;

  -- Coarse, so that a busy token does not cost a write each time; the condition is checked again under the row's lock.
  if v_last_used_at is null or v_last_used_at < now() - interval '1 minute' then
    update public.credentials c
       set last_used_at = now()
     where c.id = access.credential_id
       and (c.last_used_at is null or c.last_used_at < now() - interval '1 minute');
  end if;

  if p_team is null then
    select bool_or(p.api_access), bool_or(p_origin is null or p_origin = any (t.cors_origins))
      into any_api_access, origin_allowed
      from public.memberships m
      join public.teams t on t.id = m.team_id and t.deleted_at is null
      join public.plans p on p.name = t.plan
     where m.user_id = access.user_id;
  end if;

  if p_max is null then
    return;
  end if;

  -- The counter last: lock order is credential, then counter.
  v_count := public.count_request('user:' || user_id, p_max, p_window_seconds);
  used := v_count.used;
  reset_seconds := v_count.reset_seconds;
end $$;
