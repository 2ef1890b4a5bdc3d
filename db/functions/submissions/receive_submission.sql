-- A visitor leaves words: the visit and the arrival in one call, for one round trip and one commit.
-- Nothing is kept when used or project_id is null (over the limit, or no such key) or when refusal names an error of the
-- API's table. A refusal undoes the arrival alone: the visit stays counted, and what others do in this statement stays.
create or replace function receive_submission(
  p_public_key text,
  p_subject text,
  p_address text,
  p_max int,
  p_window_seconds int,
  p_fields jsonb,
  p_revoke_token_hash bytea,
  p_fingerprint bytea,
  out team_id uuid,
  out project_id uuid,
  out public_count int,
  out rated_count int,
  out rating_sum int,
  out used int,
  out reset_seconds int,
  out blocked_seconds int,
  out id uuid,
  out created_at timestamptz,
  out is_repeat boolean,
  out refusal text,
  out refusal_fields text
) language plpgsql as $$
declare
  -- Assigned, not selected: a call in an assignment needs no plan of its own to run.
  v_visit record := visit(p_public_key, p_subject, p_address, p_max, p_window_seconds);
  v_arrival record;
  v_bound text;
begin
  team_id := v_visit.team_id;
  project_id := v_visit.project_id;
  public_count := v_visit.public_count;
  rated_count := v_visit.rated_count;
  rating_sum := v_visit.rating_sum;
  used := v_visit.used;
  reset_seconds := v_visit.reset_seconds;
  blocked_seconds := v_visit.blocked_seconds;
  if used is null or project_id is null then
    return;
  end if;

  -- For a role that policies bind: until the end of this statement, or the next visitor's turn in it.
  v_bound := set_config('earshot.team_id', team_id::text, true);
  begin
    v_arrival := create_submission(team_id, project_id, p_fields, p_revoke_token_hash, p_fingerprint);
    id := (v_arrival.submission).id;
    created_at := (v_arrival.submission).created_at;
    is_repeat := v_arrival.is_repeat;
  exception when sqlstate 'EARSH' then
    get stacked diagnostics refusal = message_text, refusal_fields = pg_exception_detail;
  end;
end $$;
