-- Authorizes requests of the public plane: counts each by its address, and finds the project of its public key with its
-- public figures, or that of the survey, widget or upload that stands for one as `survey:<id>`, `widget:<id>` or `upload:<id>:<token>`. One row per request, in the same order.
-- p_requests: [{number, public_key, subject, address, max, window_seconds, day_max}], numbered from 1; subject null = counted
-- before. day_max bounds what an address may do in a project on a day (UTC); beyond it is no violation.
-- used null = over the limit; blocked_seconds not null = the address is blocked for repeated violations;
-- project_id null = the key is unknown or revoked, or the request was refused.
-- version: of a widget alone, a text that changes with anything that it shows.
-- Runs as the owner with every name qualified: a `set search_path` clause costs an eighth of the call.
create or replace function public_access(p_requests jsonb) returns setof public_access_row
language plpgsql security definer as $$
#variable_conflict use_column
declare
  v_subject record;
  v_count record;
  v_counts public.request_count[];
  v_refused text[] := '{}';
  v_is_violated boolean := false;
  v_violated text;
  v_blocked_seconds int;
  v_day record;
  v_day_count record;
  v_beyond_day int[] := '{}';
  v_day_seconds int;
  -- The key of each request, at its number; null where it is unknown or revoked, or the request is refused. That of a survey
  -- or widget has no id, and a widget's label is a hash of its row.
  v_keys public.public_keys[];
begin
  -- Counters are locked in the order of their subjects, then blocks in the order of their addresses, then the counters of the
  -- day: statements that run at once never wait for each other in a circle. What is blocked, or over its limit already, is
  -- refused without a lock, so that a flood makes nobody wait.
  for v_subject in
    select r.subject, r.address, r.max, r.window_seconds, count(*)::int as requests,
           ceil(extract(epoch from b.blocked_until - now()))::int as blocked_seconds,
           -- The window of count_request(). A subquery is one probe for each subject, whatever the planner believed of a table
           -- that has grown since.
           (
             select r.window_seconds - floor(extract(epoch from now() - v.window_start))::int
               from (select date_bin(r.window_seconds * interval '1 second', now(), 'epoch')) v (window_start)
               join public.rate_windows w on w.window_start >= v.window_start
              where w.subject = r.subject and w.used > r.max
           ) as over_seconds
      from jsonb_to_recordset(p_requests) as r (subject text, address text, max int, window_seconds int)
      left join public.abuse_blocks b on b.address = r.address and b.blocked_until > now()
     where r.subject is not null
     group by r.subject, r.address, r.max, r.window_seconds, b.blocked_until
     order by r.subject
  loop
    if coalesce(v_subject.blocked_seconds, v_subject.over_seconds) is not null then
      v_counts := v_counts || row(
        v_subject.subject, v_subject.address, 0, 0, coalesce(v_subject.blocked_seconds, v_subject.over_seconds), v_subject.blocked_seconds, false
      )::public.request_count;
      v_refused := v_refused || v_subject.subject;
      continue;
    end if;
    v_count := public.count_request(v_subject.subject, v_subject.max, v_subject.window_seconds, v_subject.requests);
    v_counts := v_counts || row(
      v_subject.subject, v_subject.address, coalesce(v_count.used, v_subject.max) - v_count.granted, v_count.granted,
      v_count.reset_seconds, null, v_count.is_violation
    )::public.request_count;
    v_is_violated := v_is_violated or v_count.is_violation;
  end loop;

  if v_is_violated then
    for v_violated in select distinct c.address from unnest(v_counts) c where c.is_violation order by c.address loop
      v_blocked_seconds := public.record_violation(v_violated);
      if v_blocked_seconds is not null then
        v_counts := array(
          select case
                   when c.address = v_violated and c.is_violation
                   then row(c.subject, c.address, c.used_before, c.granted, v_blocked_seconds, v_blocked_seconds, true)::public.request_count
                   else c
                 end
            from unnest(v_counts) c
        );
      end if;
    end loop;
  end if;

  -- Read behind the locks, for a key may have been revoked during the wait.
  v_keys := array(
    select case
             when r.subject = any (v_refused) then null
             when starts_with(r.public_key, 'survey:') then (
               -- A draft is not public.
               select jsonb_populate_record(null::public.public_keys, jsonb_build_object('team_id', s.team_id, 'project_id', s.project_id))
                 from public.key_routes w
                 join public.surveys s on s.team_id = w.team_id and s.project_id = w.project_id and s.id = w.record_id
                where w.key_hash = sha256(convert_to(r.public_key, 'UTF8')) and r.public_key = 'survey:' || s.id
                  and s.status <> 'draft' and s.deleted_at is null
             )
             when starts_with(r.public_key, 'widget:') then (
               select jsonb_populate_record(null::public.public_keys, jsonb_build_object(
                        'team_id', g.team_id, 'project_id', g.project_id, 'key', r.public_key, 'label', md5(g::text)))
                 from public.key_routes w
                 join public.widgets g on g.team_id = w.team_id and g.project_id = w.project_id and g.id = w.record_id
                where w.key_hash = sha256(convert_to(r.public_key, 'UTF8')) and r.public_key = 'widget:' || g.id and g.deleted_at is null
             )
             when starts_with(r.public_key, 'upload:') then (
               -- After the prefix of 7 characters, an id of 36 and a colon comes the token.
               select jsonb_populate_record(null::public.public_keys, jsonb_build_object('team_id', v.team_id, 'project_id', v.project_id))
                 from public.key_routes w
                 join public.videos v on v.team_id = w.team_id and v.project_id = w.project_id and v.id = w.record_id
                where w.key_hash = sha256(convert_to(substr(r.public_key, 45), 'UTF8')) and v.token_hash = w.key_hash
                  and substr(r.public_key, 8, 36) = v.id::text and v.deleted_at is null
             )
             else (
               select k
                 from public.key_routes w
                 join public.public_keys k on k.team_id = w.team_id and k.project_id = w.project_id and k.id = w.record_id
                where w.key_hash = sha256(convert_to(r.public_key, 'UTF8')) and k.key = r.public_key and k.revoked_at is null
             )
           end
      from jsonb_to_recordset(p_requests) as r (number int, public_key text, subject text)
     order by r.number
  );

  for v_day in
    select 'day:' || (v_keys[r.number]).project_id || ':' || r.address as subject, r.day_max,
           array_agg(r.number order by r.number) as numbers
      from (
             select q.*, row_number() over (partition by q.subject order by q.number) as turn
               from jsonb_to_recordset(p_requests) as q (number int, subject text, address text, day_max int)
           ) r
      join unnest(v_counts) c on c.subject = r.subject and r.turn <= c.granted
     where r.day_max is not null and (v_keys[r.number]).project_id is not null
     group by 1, 2
     order by 1, 2
  loop
    v_day_count := public.count_request(v_day.subject, v_day.day_max, 86400, cardinality(v_day.numbers));
    v_beyond_day := v_beyond_day || v_day.numbers[v_day_count.granted + 1:];
    v_day_seconds := v_day_count.reset_seconds;
  end loop;

  -- Skips keys that another statement is writing: this figure is coarse.
  if exists (select from unnest(v_keys) k where k.id is not null and coalesce(k.last_used_at < now() - interval '1 minute', true)) then
    update public.public_keys k
       set last_used_at = now()
     where (k.team_id, k.project_id, k.id) in (
       select q.team_id, q.project_id, q.id
         from jsonb_to_recordset(p_requests) as r (number int, subject text)
         join public.public_keys q
           on q.team_id = (v_keys[r.number]).team_id and q.project_id = (v_keys[r.number]).project_id and q.id = (v_keys[r.number]).id
        where q.revoked_at is null
          and (q.last_used_at is null or q.last_used_at < now() - interval '1 minute')
          and (r.subject is null or exists (select from unnest(v_counts) c where c.subject = r.subject and c.granted > 0))
          for update of q skip locked
     );
  end if;

  return query
  with request as (
    select r.number, r.subject, row_number() over (partition by r.subject order by r.number)::int as turn
      from jsonb_to_recordset(p_requests) as r (number int, subject text)
  ),
  admitted as (
    select r.number,
           case
             when r.subject is null then 0
             when r.turn <= c.granted and r.number <> all (v_beyond_day) then c.used_before + r.turn
           end as used,
           case when r.number = any (v_beyond_day) then v_day_seconds else coalesce(c.reset_seconds, 0) end as reset_seconds,
           case when r.subject is null or r.turn <= c.granted then null else c.blocked_seconds end as blocked_seconds
      from request r
      left join unnest(v_counts) c on c.subject = r.subject
  )
  select a.number, j.team_id, j.id, coalesce(f.public_count, 0), coalesce(f.rated_count, 0), coalesce(f.rating_sum, 0),
         a.used, a.reset_seconds, a.blocked_seconds,
         case
           when starts_with((v_keys[a.number]).key, 'widget:')
           then jsonb_build_array((v_keys[a.number]).label, j.name, j.website_url, j.theme_logo_version, t.plan, coalesce(f.version, 0))::text
         end
    from admitted a
    left join public.teams t on t.id = (v_keys[a.number]).team_id and t.deleted_at is null and a.used is not null
    left join public.projects j on j.team_id = t.id and j.id = (v_keys[a.number]).project_id and j.deleted_at is null
    left join public.project_counters f on f.team_id = j.team_id and f.project_id = j.id
   order by a.number;
end $$;
