-- Gives the next positions of the change feed to events that are committed. Ids and timestamps commit out of order;
-- positions do not: one worker at a time gives them, and only to what it can see.
create or replace function number_events(p_since timestamptz, p_max int) returns int
language plpgsql as $$
declare
  v_numbered int;
begin
  -- Let go at the commit, when the positions are visible. Whoever is refused leaves it to the one who has it.
  if not pg_try_advisory_xact_lock(hashtext('number_events')) then
    return 0;
  end if;

  -- A statement of its own, so that its snapshot is younger than the lock and sees what the last holder numbered.
  with unnumbered as materialized (
    select team_id, id
      from events
     where feed_position is null
       and id >= uuid_at(p_since)
     order by id
     limit p_max
  ),
  numbered as materialized (
    select team_id, id, nextval('event_feed_position') as position
      from unnumbered
  )
  update events e
     set feed_position = n.position
    from numbered n
   where e.team_id = n.team_id and e.id = n.id
     and e.id >= uuid_at(p_since);
  get diagnostics v_numbered = row_count;
  return v_numbered;
end $$;
