-- The state of an invitation as everybody sees it: nothing has to happen for one to expire.
create or replace function invitation_state(p_state text, p_expires_at timestamptz) returns text
language sql stable as $$
  select case when p_state = 'pending' and p_expires_at <= now() then 'expired' else p_state end
$$;
