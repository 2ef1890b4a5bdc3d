-- What a request that names no team may do: whether one of the user's teams has API access, and whether one allows the origin.
-- Apart from the statement that authorizes (db/src/access.ts), so that other requests do not pay for the start of its plan.
create or replace function access_without_team(
  p_user uuid,
  p_origin text,
  out any_api_access boolean,
  out origin_allowed boolean
) language plpgsql stable as $$
begin
  select bool_or(p.api_access), bool_or(p_origin is null or p_origin = any (t.cors_origins))
    into any_api_access, origin_allowed
    from public.memberships m
    join public.teams t on t.id = m.team_id and t.deleted_at is null
    join public.plans p on p.name = t.plan
   where m.user_id = p_user;
end $$;
