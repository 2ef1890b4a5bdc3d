-- What differs between two versions of a row, for the audit log: {"name": {"from": …, "to": …}}. Never a secret.
create or replace function changed_fields(p_before jsonb, p_after jsonb) returns jsonb
language sql immutable as $$
  select coalesce(jsonb_object_agg(key, jsonb_build_object('from', p_before -> key, 'to', value)), '{}')
    from jsonb_each(p_after)
   where p_before -> key is distinct from value
     and key <> all (array['updated_at', 'secret', 'previous_secret', 'hash', 'revoke_token_hash', 'password_hash'])
$$;
