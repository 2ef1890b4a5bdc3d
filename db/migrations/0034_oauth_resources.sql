-- The resource that a client named when it was allowed something (RFC 8707); null where it named none.
alter table credentials add column resource text;
alter table device_codes add column resource text;
