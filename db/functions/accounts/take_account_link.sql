-- Uses up a link that was sent by mail, if it works: of any number of callers with it, one alone gets its user. The outcome
-- is taken, expired or unknown.
create or replace function take_account_link(p_hash bytea, p_purpose text, out outcome text, out user_id uuid)
language plpgsql as $$
#variable_conflict use_column
begin
  -- The user first, as wherever links are written: nobody waits for somebody who waits for them.
  select u.id into user_id
    from users u
   where u.id = (select l.user_id from account_links l where l.hash = p_hash and l.purpose = p_purpose) and u.disabled_at is null
     for no key update;

  delete from account_links l
   where l.hash = p_hash and l.purpose = p_purpose and l.user_id = take_account_link.user_id and l.expires_at > now();
  if found then
    outcome := 'taken';
  elsif exists (select from account_links l where l.hash = p_hash and l.purpose = p_purpose) then
    outcome := 'expired';
  else
    outcome := 'unknown';
  end if;
end $$;
