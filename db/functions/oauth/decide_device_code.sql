-- A person allows or denies what a device asked for; true when it was theirs to decide, false when it was decided before (in
-- another tab, by somebody else) or has expired. The condition on the row makes it one decision under any number of tabs.
create or replace function decide_device_code(p_actor actor, p_hash bytea, p_decision text) returns boolean
language plpgsql as $$
declare
  v_device device_codes;
  v_credential uuid;
begin
  select * into v_device
    from device_codes
   where hash = p_hash and decision is null and expires_at > now()
     for update;
  if not found then
    return false;
  end if;

  if p_decision = 'allowed' then
    v_credential := allow_client(p_actor, v_device.client_id, v_device.scopes, v_device.expires_at);
  end if;
  update device_codes
     set decision = p_decision, credential_id = v_credential
   where hash = p_hash;
  return true;
end $$;
