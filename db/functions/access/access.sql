-- Authorizes requests: finds the caller of each, and the team and project of its path if the caller may see them. One call for
-- all authenticated requests that come together, nothing cached.
-- p_requests: [{number, hash, is_access_token, team, project, origin, max, window_seconds, unknown_subject,
-- unknown_window_seconds}]. The hash, in hexadecimal, is that of the credential's value, or of an access token that it handed
-- out. max null: the request was counted when it began and continues; nothing is counted. p_highest_max: of all the requests.
-- Returns a row for each request, with its number, which reads as: no credential_id and not expired = unknown;
-- team_id null although asked = not the caller's; project_id null although asked = not in that team.
-- any_api_access is set where the request names no team; else the plan says it.
-- subject: of the counter that counted the request; used: what the counter says with all requests of the call, null when it was
-- above the highest limit before.
-- Runs as the owner with every name qualified: a `set search_path` clause costs an eighth of the call.
create or replace function access(p_requests jsonb, p_highest_max int) returns table (
  number int,
  credential_id uuid,
  credential_kind text,
  expires_at timestamptz,
  expired boolean,
  user_id uuid,
  scopes text[],
  team_id uuid,
  role text,
  plan text,
  any_api_access boolean,
  project_id uuid,
  origin_allowed boolean,
  subject text,
  used int,
  reset_seconds int
) language plpgsql security definer as $$
#variable_conflict use_column
begin
  return query
  with request as materialized (
    select r.number, r.team, r.origin, c.*,
           case when r.max is not null then case when not c.expired then 'user:' || c.user_id else r.unknown_subject end end as subject,
           case when not c.expired then r.window_seconds else r.unknown_window_seconds end as window_seconds
      from jsonb_to_recordset(p_requests) as r (
             number int, hash text, is_access_token boolean, team uuid, project uuid, origin text,
             max int, window_seconds int, unknown_subject text, unknown_window_seconds int
           )
      -- A look-up for each request, by indexes: for a join the planner would read whole tables, and again when they have grown.
      left join lateral (
             select c.id, c.kind, h.expires_at, coalesce(h.expires_at <= now(), false) as expired, c.user_id, h.scopes,
                    -- Coarse, so that a busy token does not cost a write each time.
                    c.last_used_at is null or c.last_used_at < now() - interval '1 minute' as is_unused,
                    t.id as team_id, m.role, t.plan, j.id as project_id,
                    r.origin is null or r.origin = any (t.cors_origins) as origin_allowed
               from (
                      select k.id, k.expires_at, k.scopes
                        from public.credentials k
                       where not r.is_access_token and k.hash = decode(r.hash, 'hex')
                      union all
                      select a.credential_id, a.expires_at, a.scopes
                        from public.access_tokens a
                       where r.is_access_token and a.hash = decode(r.hash, 'hex')
                    ) h
               join public.credentials c on c.id = h.id and c.revoked_at is null
               join public.users u on u.id = c.user_id and u.disabled_at is null
               left join public.memberships m on m.user_id = u.id and m.team_id = r.team
               left join public.teams t on t.id = m.team_id and t.deleted_at is null
               left join public.projects j on j.team_id = t.id and j.id = r.project and j.deleted_at is null
              limit 1
           ) c on true
  ),
  -- Skips what another call is writing: no two wait for each other.
  touched as (
    update public.credentials c
       set last_used_at = now()
     where c.id in (
             select q.id
               from public.credentials q
              where q.id in (select r.id from request r where r.is_unused and not r.expired)
                for no key update skip locked
           )
  ),
  -- Counts as count_request() does. Counters are locked in the order of their subjects: calls that run at once never wait for each
  -- other in a circle.
  counter as (
    insert into public.rate_windows as w (subject, window_start, used)
    select r.subject, date_bin(r.window_seconds * interval '1 second', now(), 'epoch'), count(*)::int
      from request r
     where r.subject is not null
     group by r.subject, r.window_seconds
     order by r.subject
    on conflict (subject) do update set
      used = case when w.window_start >= excluded.window_start then w.used else 0 end + excluded.used,
      window_start = greatest(w.window_start, excluded.window_start)
    where w.window_start < excluded.window_start or w.used <= p_highest_max
    returning w.subject, w.used
  )
  select r.number,
         case when not r.expired then r.id end,
         r.kind, r.expires_at, coalesce(r.expired, false), r.user_id, r.scopes,
         r.team_id, r.role, r.plan,
         o.any_api_access,
         r.project_id,
         case when r.team is null then o.origin_allowed else r.origin_allowed end,
         r.subject,
         (select c.used from counter c where c.subject = r.subject),
         r.window_seconds - floor(extract(epoch from now() - date_bin(r.window_seconds * interval '1 second', now(), 'epoch')))::int
    from request r
    left join lateral (
           select a.any_api_access, a.origin_allowed
             from public.access_without_team(r.user_id, r.origin) a
            where r.team is null
           -- Keeps the planner from calling the function where the request names a team.
           offset 0
         ) o on true;
end $$;
