-- What a person's code stands for. Wrong ones are counted, for the person and for their address: both counts are taken first
-- and given back for a right one, so that of any number of guesses at once no more than p_max are answered.
-- limited_seconds: for how long nothing is answered.
create or replace function find_device_code(
  p_user_code_mac bytea,
  p_user_subject text,
  p_address_subject text,
  p_max int,
  p_window_seconds int,
  out limited_seconds int,
  out hash bytea,
  out client_name text,
  out scopes text[],
  out decision text
) language plpgsql as $$
#variable_conflict use_column
declare
  v_by_user record;
  v_by_address record;
begin
  select * into v_by_user from count_request(p_user_subject, p_max, p_window_seconds);
  select * into v_by_address from count_request(p_address_subject, p_max, p_window_seconds);
  if v_by_user.used is null or v_by_address.used is null then
    limited_seconds := greatest(1, v_by_user.reset_seconds);
    return;
  end if;

  select d.hash, o.name, d.scopes, d.decision into hash, client_name, scopes, decision
    from device_codes d
    join oauth_clients o on o.id = d.client_id
   where d.user_code_mac = p_user_code_mac and d.expires_at > now();
  if found then
    update rate_windows r
       set used = r.used - 1
     where r.subject in (p_user_subject, p_address_subject);
  end if;
end $$;
