-- The member becomes an owner and the actor an admin: one change, so that the team has an owner at every moment.
-- Handing it over to oneself changes nothing.
create or replace function transfer_ownership(p_actor actor, p_team uuid, p_user uuid) returns void
language plpgsql as $$
begin
  perform change_member(p_actor, p_team, p_user, 'owner');
  if p_user <> p_actor.user_id then
    perform change_member(p_actor, p_team, p_actor.user_id, 'admin');
  end if;
end $$;
