-- Moderates many submissions, each independently. Locks all rows first, in the order of their ids: two bulk calls, or a
-- bulk and a single one, then never wait for each other in a circle.
create or replace function moderate_submissions(
  p_actor actor,
  p_team uuid,
  p_project uuid,
  p_items jsonb
) returns table (item_number int, outcome text, submission submissions) language plpgsql as $$
begin
  perform 1
    from submissions s
   where s.team_id = p_team and s.project_id = p_project
     and s.id in (select (item ->> 'submission_id')::uuid from jsonb_array_elements(p_items) item)
   order by s.id
     for no key update;

  return query
  select i.number::int, m.outcome, m.submission
    from jsonb_array_elements(p_items) with ordinality i (item, number)
   cross join lateral moderate_submission(
     p_actor, p_team, p_project, (i.item ->> 'submission_id')::uuid, i.item ->> 'to', i.item ->> 'expected_state', i.item ->> 'reason'
   ) m
   order by i.number;
end $$;
