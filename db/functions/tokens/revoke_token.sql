-- A token and all that it made stop working. The token is locked first: a child that is being made at this moment
-- is waited for, and the statement after it sees the child.
create or replace function revoke_token(p_actor actor, p_token uuid) returns boolean
language plpgsql as $$
declare
  v_lines bigint;
begin
  perform 1
    from credentials
   where id = p_token and user_id = p_actor.user_id and kind = 'pat' and revoked_at is null
     for update;
  if not found then
    return false;
  end if;

  with recursive family as (
    select p_token as id
    union all
    select child.id
      from family
      join credentials child on child.parent_id = family.id
  ),
  gone as (
    update credentials
       set revoked_at = now(), updated_at = now()
     where id in (select id from family) and revoked_at is null
    returning id
  )
  select sum(record_audit_in_teams(p_actor, p_actor.user_id, 'token.deleted', 'token', id))
    into v_lines
    from gone;
  return true;
end $$;
