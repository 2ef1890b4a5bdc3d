-- Headers of one's own that every delivery to an endpoint carries. Their names stand beside the sealed text of names and values,
-- so that reads open nothing.

alter table webhook_endpoints
  add column header_names text[] not null default '{}',
  add column header_values text,
  add check ((header_values is null) = (header_names = '{}'));
