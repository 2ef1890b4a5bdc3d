-- What disables an endpoint that has been failing for days: when its deliveries failed since the last success. Their number
-- is consecutive_failures.
alter table webhook_endpoints
  add column first_failed_at timestamptz(3),
  add column last_failed_at timestamptz(3);
