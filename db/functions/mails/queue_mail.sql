-- Writes a mail and adds its job, in the transaction of what causes it; the job carries the mail's id alone.
-- With the owner's rights, because the serving role may not read mails.
-- The queue waits e^n seconds after attempt n, six hours at most: 18 attempts are two days.
create or replace function queue_mail(
  p_recipient text,
  p_template text,
  p_fields jsonb,
  p_sealed bytea
) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_id uuid;
begin
  insert into mails (recipient, template, fields, sealed)
  values (p_recipient, p_template, p_fields, p_sealed)
  returning id into v_id;

  perform enqueue_job('mail', json_build_object('mail_id', v_id), 18);
  return v_id;
end $$;
revoke execute on function queue_mail(text, text, jsonb, bytea) from public;
grant execute on function queue_mail(text, text, jsonb, bytea) to earshot_app, earshot_worker;
