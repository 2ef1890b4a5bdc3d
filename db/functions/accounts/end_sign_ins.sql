-- Ends where somebody is signed in by password, but for one: sessions and log-ins. What a person gave to programs by a
-- token or by OAuth stays: those were given on purpose, and are taken back one by one.
create or replace function end_sign_ins(p_user uuid, p_except uuid) returns void
language sql as $$
  update credentials
     set revoked_at = now(), updated_at = now()
   where user_id = p_user and kind in ('session', 'jwt') and revoked_at is null and id is distinct from p_except
$$;
