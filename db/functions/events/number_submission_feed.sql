-- Gives up to p_max committed changes of submissions the next positions of their projects' feeds, as number_events() does for
-- events, but in the order of the changes: "approved" before "created" would leave a reader with the wrong state. Returns how many
-- it numbered: none also while another one does it.
create or replace function number_submission_feed(p_max int) returns int language plpgsql as $$
declare
  v_count int;
begin
  if not exists (select from submission_feed_waiting) then
    return 0;
  end if;
  if not pg_try_advisory_xact_lock(hashtext('number_submission_feed')) then
    return 0;
  end if;

  -- The index on changed_at gives the order, so that a batch reads no more of a backlog than itself.
  with taken as materialized (
    delete from submission_feed_waiting
     where ctid = any (array(
       select ctid
         from submission_feed_waiting
        order by changed_at
        limit p_max
     ))
    returning team_id, project_id, submission_id, kind, state, change, changed_at
  ),
  batch as (
    select count(*)::int as size
      from taken
  ),
  last as materialized (
    select setval(
             'submission_feed_position',
             greatest(s.last_value, feed_position_at(clock_timestamp()) + floor(random() * 500000)::bigint) + b.size
           ) as position
      from batch b
     cross join submission_feed_position s
     where b.size > 0
  ),
  numbered as materialized (
    select t.*, l.position - b.size + row_number() over (order by t.changed_at, t.submission_id) as position
      from taken t
     cross join batch b
     cross join last l
  ),
  position as (
    insert into submission_feed (
             team_id, project_id, position, previous_position, submission_id, kind, state, change, changed_at
           )
    select n.team_id, n.project_id, n.position,
           coalesce(
             lag(n.position) over (partition by n.team_id, n.project_id order by n.position),
             (select f.position from submission_feed_ends f where f.team_id = n.team_id and f.project_id = n.project_id),
             0
           ),
           n.submission_id, n.kind, n.state, n.change, n.changed_at
      from numbered n
  ),
  feed_end as (
    insert into submission_feed_ends as f (team_id, project_id, position)
    select team_id, project_id, max(position)
      from numbered
     group by team_id, project_id
        on conflict (team_id, project_id) do update
       set position = excluded.position
  )
  select size
    into v_count
    from batch;
  return v_count;
end $$;
