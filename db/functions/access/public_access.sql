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
  -- No initial values: PL/pgSQL evaluates each of them as an expression. Assigning an element to a null array creates the array;
  -- FOREACH does not accept null.
  v_request jsonb;
  v_counter text;
  v_previous text;
  v_numbers int[];
  v_number int;
  v_count record;
  -- Of the requests' addresses and subjects; most often empty.
  v_blocks public.abuse_blocks[];
  v_full public.rate_windows[];
  v_blocked_seconds int;
  v_over_seconds int;
  v_least_max int;
  v_violated text[];
  v_address text;
  v_found record;
  -- Each holds one value per request, at its number. The key of a refused one is null.
  v_keys text[];
  v_subjects text[];
  v_addresses text[];
  v_used int[];
  v_reset_seconds int[];
  v_blocks_seconds int[];
  v_days text[];
  v_rows public.public_access_row[];
  -- What a survey, a widget or an upload stands for. It has no id, and the label of a widget's is a hash of its row.
  v_has_others boolean;
  v_others public.public_keys[];
  v_stale public.public_keys[];
  v_row public.public_access_row;
begin
  -- One request is the usual case: to start a query costs more than many of these expressions.
  for v_number in 1 .. jsonb_array_length(p_requests) loop
    v_request := p_requests -> (v_number - 1);
    v_keys[v_number] := v_request ->> 'public_key';
    v_subjects[v_number] := v_request ->> 'subject';
    v_addresses[v_number] := v_request ->> 'address';
    v_least_max := least(v_least_max, (v_request ->> 'max')::int);
    v_used[v_number] := case when v_subjects[v_number] is null then 0 end;
    v_has_others := v_has_others or strpos(v_keys[v_number], ':') > 0;
  end loop;

  -- Counters are locked in the order of their subjects, then blocks in the order of their addresses, then the counters of the
  -- day: statements that run at once never wait for each other in a circle. What is blocked, or over its limit already, is
  -- refused without a lock, so that a flood makes nobody wait.
  select array(select b from public.abuse_blocks b where b.address = any (v_addresses) and b.blocked_until > now()),
         array(select w from public.rate_windows w where w.subject = any (v_subjects) and w.used > v_least_max)
    into v_blocks, v_full;
  foreach v_counter in array coalesce(array_sort(v_subjects), '{}') loop
    continue when v_counter is null or v_counter = v_previous;
    v_previous := v_counter;
    v_numbers := array_positions(v_subjects, v_counter);
    v_request := p_requests -> (v_numbers[1] - 1);
    v_blocked_seconds := null;
    v_over_seconds := null;
    if cardinality(v_blocks) > 0 then
      v_blocked_seconds := (
        select ceil(extract(epoch from b.blocked_until - now()))::int from unnest(v_blocks) b where b.address = v_request ->> 'address'
      );
    end if;
    if cardinality(v_full) > 0 then
      -- The window of count_request().
      v_over_seconds := (
        select q.window_seconds - floor(extract(epoch from now() - q.window_start))::int
          from (
                 select s.seconds as window_seconds, date_bin(s.seconds * interval '1 second', now(), 'epoch') as window_start
                   from (select (v_request ->> 'window_seconds')::int) s (seconds)
               ) q
          join unnest(v_full) w on w.window_start >= q.window_start
         where w.subject = v_counter and w.used > (v_request ->> 'max')::int
      );
    end if;
    if coalesce(v_blocked_seconds, v_over_seconds) is not null then
      foreach v_number in array v_numbers loop
        v_keys[v_number] := null;
        v_reset_seconds[v_number] := coalesce(v_blocked_seconds, v_over_seconds);
        v_blocks_seconds[v_number] := v_blocked_seconds;
      end loop;
      continue;
    end if;
    v_count := public.count_request(v_counter, (v_request ->> 'max')::int, (v_request ->> 'window_seconds')::int, cardinality(v_numbers));
    for v_turn in 1 .. cardinality(v_numbers) loop
      v_reset_seconds[v_numbers[v_turn]] := v_count.reset_seconds;
      if v_turn <= v_count.granted then
        v_used[v_numbers[v_turn]] := coalesce(v_count.used, (v_request ->> 'max')::int) - v_count.granted + v_turn;
      else
        v_keys[v_numbers[v_turn]] := null;
      end if;
    end loop;
    if v_count.is_violation then
      v_violated := v_violated || v_counter;
    end if;
  end loop;

  if v_violated <> '{}' then
    for v_address, v_numbers in
      select r.address, array_agg(r.number)
        from unnest(v_subjects, v_addresses) with ordinality r (subject, address, number)
       where r.subject = any (v_violated)
       group by r.address
       order by r.address
    loop
      v_blocked_seconds := public.record_violation(v_address);
      foreach v_number in array v_numbers loop
        if v_blocked_seconds is not null and v_used[v_number] is null then
          v_reset_seconds[v_number] := v_blocked_seconds;
          v_blocks_seconds[v_number] := v_blocked_seconds;
        end if;
      end loop;
    end loop;
  end if;

  -- Read behind the locks, for a key may have been revoked during the wait.
  if v_has_others then
    v_others := array(
      select case
               when starts_with(r.key, 'survey:') then (
                 -- A draft is not public.
                 select jsonb_populate_record(null::public.public_keys, jsonb_build_object('team_id', s.team_id, 'project_id', s.project_id))
                   from public.key_routes w
                   join public.surveys s on s.team_id = w.team_id and s.project_id = w.project_id and s.id = w.record_id
                  where w.key_hash = sha256(convert_to(r.key, 'UTF8')) and r.key = 'survey:' || s.id
                    and s.status <> 'draft' and s.deleted_at is null
               )
               when starts_with(r.key, 'widget:') then (
                 select jsonb_populate_record(null::public.public_keys, jsonb_build_object(
                          'team_id', g.team_id, 'project_id', g.project_id, 'key', r.key, 'label', md5(g::text)))
                   from public.key_routes w
                   join public.widgets g on g.team_id = w.team_id and g.project_id = w.project_id and g.id = w.record_id
                  where w.key_hash = sha256(convert_to(r.key, 'UTF8')) and r.key = 'widget:' || g.id and g.deleted_at is null
               )
               when starts_with(r.key, 'upload:') then (
                 -- After the prefix of 7 characters, an id of 36 and a colon comes the token.
                 select jsonb_populate_record(null::public.public_keys, jsonb_build_object('team_id', v.team_id, 'project_id', v.project_id))
                   from public.key_routes w
                   join public.videos v on v.team_id = w.team_id and v.project_id = w.project_id and v.id = w.record_id
                  where w.key_hash = sha256(convert_to(substr(r.key, 45), 'UTF8')) and v.token_hash = w.key_hash
                    and substr(r.key, 8, 36) = v.id::text and v.deleted_at is null
               )
             end
        from unnest(v_keys) with ordinality r (key, number)
       order by r.number
    );
  end if;

  -- A limit makes each look-up one probe, whatever the planner believed of a table that has grown since.
  for v_found in
    select r.number::int, f.*, k.stale, coalesce(k.project_id, (v_others[r.number]).project_id) as key_project_id
      from unnest(v_keys) with ordinality r (key, number)
      left join lateral (
             select k.team_id, k.project_id, case when coalesce(k.last_used_at < now() - interval '1 minute', true) then k end as stale
               from public.key_routes w
               join public.public_keys k on k.team_id = w.team_id and k.project_id = w.project_id and k.id = w.record_id
              where w.key_hash = sha256(convert_to(r.key, 'UTF8')) and k.key = r.key and k.revoked_at is null
              limit 1
           ) k on true
      left join lateral (
             select j.team_id, j.id as project_id, f.public_count, f.rated_count, f.rating_sum,
                    case
                      when (v_others[r.number]).label is not null
                      then jsonb_build_array(
                             (v_others[r.number]).label, j.name, j.website_url, j.theme_logo_version, t.plan, coalesce(f.version, 0))::text
                    end as version
               from public.teams t
               join public.projects j on j.team_id = t.id
               left join public.project_counters f on f.team_id = j.team_id and f.project_id = j.id
              where t.id = coalesce(k.team_id, (v_others[r.number]).team_id) and t.deleted_at is null
                and j.id = coalesce(k.project_id, (v_others[r.number]).project_id) and j.deleted_at is null
              limit 1
           ) f on true
  loop
    v_number := v_found.number;
    v_rows[v_number] := row(
      v_number, v_found.team_id, v_found.project_id, coalesce(v_found.public_count, 0), coalesce(v_found.rated_count, 0),
      coalesce(v_found.rating_sum, 0), v_used[v_number], coalesce(v_reset_seconds[v_number], 0), v_blocks_seconds[v_number], v_found.version
    )::public.public_access_row;
    if v_subjects[v_number] is not null and v_found.key_project_id is not null then
      v_days[v_number] := 'day:' || v_found.key_project_id || ':' || v_addresses[v_number] || ' ' || (p_requests -> (v_number - 1) ->> 'day_max');
    end if;
    if (v_found.stale).id is not null then
      v_stale := v_stale || v_found.stale;
    end if;
  end loop;

  -- A counter of the day, with a space and its limit behind it.
  foreach v_counter in array coalesce(array_sort(v_days), '{}') loop
    continue when v_counter is null or v_counter = v_previous;
    v_previous := v_counter;
    v_numbers := array_positions(v_days, v_counter);
    v_count := public.count_request(split_part(v_counter, ' ', 1), split_part(v_counter, ' ', 2)::int, 86400, cardinality(v_numbers));
    foreach v_number in array v_numbers[v_count.granted + 1:] loop
      v_rows[v_number] := row(v_number, null, null, 0, 0, 0, null, v_count.reset_seconds, null, null)::public.public_access_row;
    end loop;
  end loop;

  -- Skips keys that another statement is writing: this figure is coarse.
  if cardinality(v_stale) > 0 then
    update public.public_keys k
       set last_used_at = now()
     where (k.team_id, k.project_id, k.id) in (
       select q.team_id, q.project_id, q.id
         from unnest(v_stale) s
         join public.public_keys q on q.team_id = s.team_id and q.project_id = s.project_id and q.id = s.id
        where q.revoked_at is null
          and (q.last_used_at is null or q.last_used_at < now() - interval '1 minute')
          for update of q skip locked
     );
  end if;

  foreach v_row in array coalesce(v_rows, '{}') loop
    return next v_row;
  end loop;
end $$;
