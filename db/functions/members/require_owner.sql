-- Only an owner makes, unmakes and invites owners: refuses whoever is none where one of the roles concerned is owner.
create or replace function require_owner(p_own text, p_roles text[]) returns void
language plpgsql as $$
begin
  if p_own <> 'owner' and 'owner' = any (p_roles) then
    perform refuse('insufficient_role', '{"required_role": "owner"}');
  end if;
end $$;
