-- Mails. The text is written when a mail is sent, from template, fields and the opened secret: no table holds a link that
-- works. Kept for 30 days.

create table mails (
  id uuid primary key default uuidv7(),
  recipient text not null,
  template text not null,
  fields jsonb not null check (jsonb_typeof(fields) = 'object'),
  -- The template's secret as JSON, sealed for the template's name; erased once the mail was sent.
  sealed bytea,
  state text not null default 'queued' check (state in ('queued', 'sent', 'kept', 'failed', 'dropped')),
  error text,
  attempts int not null default 0,
  sent_at timestamptz(3),
  created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) virtual
);

-- The serving role writes mails by queue_mail() alone, and reads none.
revoke all on mails from earshot_app;
