-- Compare-and-set of a submission's state. Under any number of callers one change makes one event and one audit line.
-- outcome: changed, unchanged (it is in that state already), conflict (another state; see submission.state), not_found.
create or replace function moderate_submission(
  p_actor actor,
  p_team uuid,
  p_project uuid,
  p_submission uuid,
  p_to text,
  p_expected text,
  p_reason text,
  out outcome text,
  out submission submissions
) language plpgsql as $$
begin
  loop
    -- Waits for another holder of the row's lock, then checks the version that it committed.
    update submissions s
       set state = p_to,
           moderated_by = p_actor.user_id,
           moderated_at = now(),
           moderation_reason = p_reason,
           updated_at = now()
     where s.team_id = p_team and s.project_id = p_project and s.id = p_submission
       and s.deleted_at is null
       and s.state = p_expected
       and s.state <> p_to
    returning * into submission;

    if found then
      outcome := 'changed';
      perform emit_event(p_team, p_project, 'submission.' || p_to, json_build_object('submission', submission_payload(submission)));
      perform record_audit(p_actor, p_team, p_project, 'submission.' || p_to, 'submission', p_submission,
        jsonb_build_object('state', jsonb_build_object('from', p_expected, 'to', p_to)));
      return;
    end if;

    select * into submission
      from submissions s
     where s.team_id = p_team and s.project_id = p_project and s.id = p_submission
       and s.deleted_at is null;
    outcome := case
      when not found then 'not_found'
      when submission.state = p_to then 'unchanged'
      else 'conflict'
    end;
    -- Another commit came between the two statements and left the expected state: try again.
    exit when outcome <> 'conflict' or submission.state <> p_expected;
  end loop;
end $$;
