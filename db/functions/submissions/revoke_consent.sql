-- Withdraws an author's consent: the submission leaves every public list at once. The receipt's token is the only proof
-- needed, so no team is known beforehand: it runs as the owner. Repeating it changes nothing.
create or replace function revoke_consent(p_revoke_token_hash bytea) returns setof submissions
language sql security definer set search_path = public, pg_temp as $$
  update submissions s
     set consent_revoked_at = coalesce(s.consent_revoked_at, now()),
         updated_at = case when s.consent_revoked_at is null then now() else s.updated_at end
    from key_routes r
   where r.key_hash = p_revoke_token_hash
     and s.team_id = r.team_id and s.project_id = r.project_id and s.id = r.record_id
     and s.revoke_token_hash = p_revoke_token_hash
     and s.deleted_at is null
  returning s.*
$$;
