-- Counts one request in the fixed window of the clock, exactly, over all replicas.
-- used is null when the limit is reached. The first refusal of a window is told by tripped, and is the last write of it.
create or replace function count_request(
  p_subject text,
  p_max int,
  p_window_seconds int,
  out used int,
  out reset_seconds int,
  out tripped boolean
) language plpgsql as $$
declare
  v_window timestamptz := date_bin(p_window_seconds * interval '1 second', now(), 'epoch');
begin
  insert into public.rate_windows as r (subject, window_start, used)
  values (p_subject, v_window, 1)
  on conflict (subject) do update set
    used = case when r.window_start >= excluded.window_start then r.used + 1 else 1 end,
    window_start = greatest(r.window_start, excluded.window_start)
  where r.window_start < excluded.window_start or r.used <= p_max
  returning r.used into used;
  tripped := used > p_max;
  if tripped then
    used := null;
  end if;
  reset_seconds := p_window_seconds - floor(extract(epoch from now() - v_window))::int;
end $$;
