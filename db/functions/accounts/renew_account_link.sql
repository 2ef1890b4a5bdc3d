-- The one link of a purpose that works from now on.
create or replace function renew_account_link(p_user uuid, p_purpose text, p_hash bytea) returns void
language sql as $$
  insert into account_links (user_id, purpose, hash, expires_at)
  values (p_user, p_purpose, p_hash, now() + case p_purpose when 'verify' then interval '24 hours' else interval '1 hour' end)
  on conflict (user_id, purpose) do update set
    hash = excluded.hash,
    expires_at = excluded.expires_at
$$;
