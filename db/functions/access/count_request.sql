-- Counts requests of a subject in a fixed window of the clock, exactly, over all replicas.
-- granted: how many of the requests are within the limit. used: how many requests of the window were within it, these
-- included; null when one of these was refused. is_violation: these contain the first refusal of the window, which is the last
-- write to the counter in it.
create or replace function count_request(
  p_subject text,
  p_max int,
  p_window_seconds int,
  p_requests int default 1,
  out used int,
  out reset_seconds int,
  out granted int,
  out is_violation boolean
) language plpgsql as $$
declare
  v_window timestamptz := date_bin(p_window_seconds * interval '1 second', now(), 'epoch');
begin
  insert into public.rate_windows as r (subject, window_start, used)
  values (p_subject, v_window, p_requests)
  on conflict (subject) do update set
    used = case when r.window_start >= excluded.window_start then r.used else 0 end + p_requests,
    window_start = greatest(r.window_start, excluded.window_start)
  where r.window_start < excluded.window_start or r.used <= p_max
  returning r.used into used;
  -- No row: the limit was reached before, and least() would ignore the null.
  granted := case when used is null then 0 else least(p_requests, p_max - (used - p_requests)) end;
  is_violation := coalesce(used > p_max, false);
  if is_violation then
    used := null;
  end if;
  reset_seconds := p_window_seconds - floor(extract(epoch from now() - v_window))::int;
end $$;
