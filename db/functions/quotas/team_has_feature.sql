-- Returns whether the team's plan includes a feature.
create or replace function team_has_feature(p_team uuid, p_feature text) returns boolean
language plpgsql stable as $$
begin
  return (
    select p_feature = any (p.features)
      from teams t
      join plans p on p.name = t.plan
     where t.id = p_team
  );
end $$;
