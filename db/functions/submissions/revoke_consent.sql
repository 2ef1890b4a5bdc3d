-- Withdraws an author's consent: the submission leaves every public list at once. The receipt's token is the only proof
-- needed, so no team is known beforehand: it runs as the owner. Repeating it changes nothing.
create or replace function revoke_consent(p_revoke_token_hash bytea) returns setof submissions
language sql security definer set search_path = public, pg_temp as $$
  update submissions
     set consent_revoked_at = coalesce(consent_revoked_at, now()),
         updated_at = case when consent_revoked_at is null then now() else updated_at end
   where revoke_token_hash = p_revoke_token_hash
     and deleted_at is null
  returning *
$$;
