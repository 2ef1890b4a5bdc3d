-- Gives up to p_max committed events the next positions of the change feed. Ids and timestamps commit out of order; positions do
-- not: one caller at a time gives them, and only to what it can see. Returns how many it numbered: none also while another one
-- does it. A function, because each of its statements sees what was committed before it: in one statement with the lock, the
-- numbering would not see what the last holder of the lock did. It is one round trip instead of five.
create or replace function number_events(p_max int) returns int language plpgsql as $$
declare
  v_count int;
begin
  if not exists (select from unnumbered_events) then
    return 0;
  end if;
  -- Released at the commit, when what was done is visible.
  if not pg_try_advisory_xact_lock(hashtext('number_events')) then
    return 0;
  end if;

  -- Taken as they lie, about in the order of their commits: sorting a long backlog for each batch would read it whole. The
  -- sequence is set once per batch, and no other numbering can do so meanwhile. A position begins with its time; the random
  -- part keeps a restored database, whose clock may be wrong, from giving a position that it gave before to another event.
  with taken as materialized (
    delete from unnumbered_events
     where ctid = any (array(
       select ctid
         from unnumbered_events
        limit p_max
     ))
    returning team_id, event_id, type
  ),
  batch as (
    select count(*)::int as size
      from taken
  ),
  last as materialized (
    select setval(
             'feed_position',
             greatest(s.last_value, feed_position_at(clock_timestamp()) + floor(random() * 500000)::bigint) + b.size
           ) as position
      from batch b
     cross join feed_position s
     where b.size > 0
  ),
  numbered as materialized (
    select t.*, l.position - b.size + row_number() over (order by t.event_id) as position
      from taken t
     cross join batch b
     cross join last l
  ),
  position as (
    insert into feed_positions (team_id, position, previous_position, event_id, type)
    select n.team_id, n.position,
           coalesce(
             lag(n.position) over (partition by n.team_id order by n.position),
             (select f.position from feed_ends f where f.team_id = n.team_id),
             0
           ),
           n.event_id, n.type
      from numbered n
  ),
  feed_end as (
    insert into feed_ends as f (team_id, position)
    select team_id, max(position)
      from numbered
     group by team_id
        on conflict (team_id) do update
       set position = excluded.position
  ),
  late_day as (
    insert into feed_late_days as d (day, last_position)
    select e.day, max(n.position)
      from numbered n
     cross join lateral (select (uuid_extract_timestamp(n.event_id) at time zone 'UTC')::date as day) e
     group by e.day
    having max(n.position) >= feed_position_at((e.day + 1)::timestamp at time zone 'UTC')
        on conflict (day) do update
       set last_position = excluded.last_position
  )
  select size
    into v_count
    from batch;
  return v_count;
end $$;
