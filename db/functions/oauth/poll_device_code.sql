-- A device asks whether the person has decided. The outcome: unknown (not this client's, or used before), expired, denied,
-- pending, slow_down (it asked too early, and its interval is five seconds longer for good, RFC 8628 §3.5), or granted, once,
-- with the tokens. The row is locked: of any number of polls at once one gets them.
-- The network makes a steady rhythm a little uneven: up to a second early is in time.
create or replace function poll_device_code(
  p_hash bytea,
  p_client uuid,
  p_access_hash bytea,
  p_access_seconds int,
  p_refresh_hash bytea,
  p_refresh_seconds int,
  out outcome text,
  out user_id uuid,
  out scopes text[]
) language plpgsql as $$
#variable_conflict use_column
declare
  v_device device_codes;
begin
  select * into v_device
    from device_codes d
   where d.hash = p_hash and d.client_id = p_client
     for update;
  if not found or v_device.taken_at is not null then
    outcome := 'unknown';
    return;
  elsif v_device.expires_at <= now() then
    outcome := 'expired';
    return;
  elsif v_device.decision is null then
    outcome := case
      when v_device.polled_at > clock_timestamp() - (v_device.interval_seconds - 1) * interval '1 second' then 'slow_down'
      else 'pending'
    end;
    update device_codes d
       set polled_at = clock_timestamp(),
           interval_seconds = d.interval_seconds + case outcome when 'slow_down' then 5 else 0 end
     where d.hash = p_hash;
    return;
  end if;

  -- What was allowed may have been withdrawn before the device came for it.
  select c.user_id, c.scopes into user_id, scopes
    from credentials c
    join users u on u.id = c.user_id and u.disabled_at is null
   where c.id = v_device.credential_id and c.revoked_at is null;
  if not found then
    outcome := 'denied';
    return;
  end if;
  outcome := 'granted';
  update device_codes d set taken_at = now() where d.hash = p_hash;
  perform issue_tokens(v_device.credential_id, scopes, p_access_hash, p_access_seconds, p_refresh_hash, p_refresh_seconds);
end $$;
