-- Writes a mail and adds its job, in the transaction of what causes it; the job carries the mail's id alone.
-- goes: whether it will be sent. A mailbox has a budget for an hour and a day, shared by mails of the same kind of cause; one
-- beyond it is kept as dropped, without its secret, and its job logs that. A mail that is not wanted is deleted again, so that
-- nobody learns from the time that there was none to send; it uses up no budget.
-- With the owner's rights, because the serving role may not read mails.
-- The queue waits e^n seconds after attempt n, six hours at most: 18 attempts are two days.
create or replace function queue_mail(
  p_recipient text,
  p_template text,
  p_fields jsonb,
  p_sealed bytea,
  p_budget text,
  p_hourly int,
  p_daily int,
  p_is_wanted boolean,
  out id uuid,
  out goes boolean
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_mailbox text := format('%s:%s', p_budget, encode(sha256(convert_to(lower(p_recipient), 'UTF8')), 'hex'));
  v_is_within boolean;
begin
  -- The later counter counts what the earlier one admitted.
  v_is_within := (count_request('mail:hour:' || v_mailbox, p_hourly, 3600, p_is_wanted::int)).used is not null;
  v_is_within := (count_request('mail:day:' || v_mailbox, p_daily, 86400, (p_is_wanted and v_is_within)::int)).used is not null and v_is_within;
  goes := p_is_wanted and v_is_within;

  insert into mails (recipient, template, fields, sealed, state)
  values (p_recipient, p_template, p_fields, case when v_is_within then p_sealed end, case when v_is_within then 'queued' else 'dropped' end)
  returning mails.id into queue_mail.id;
  perform enqueue_job('mail', json_build_object('mail_id', queue_mail.id), 18);
  delete from mails
   where mails.id = queue_mail.id and not p_is_wanted;
end $$;
revoke execute on function queue_mail(text, text, jsonb, bytea, text, int, int, boolean) from public;
grant execute on function queue_mail(text, text, jsonb, bytea, text, int, int, boolean) to earshot_app, earshot_worker;
