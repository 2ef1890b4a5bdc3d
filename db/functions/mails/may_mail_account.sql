-- Whether an account gets another mail for a purpose: at most one in a minute of the clock, so that nobody floods a mailbox.
create or replace function may_mail_account(p_user uuid, p_purpose text) returns boolean
language sql as $$
  select used is not null
    from count_request('account_mail:' || p_purpose || ':' || p_user, 1, 60)
$$;
