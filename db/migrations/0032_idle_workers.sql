-- A worker that has had nothing to do for a while polls seldom, and asks to be notified of work.
alter table webhook_workers add column is_idle boolean not null default false;
create index webhook_workers_idle on webhook_workers (id) where is_idle;
