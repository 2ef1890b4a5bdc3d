-- What teams used of their monthly quotas.

-- Where a team stands in a monthly quota; see consume_quota().
create type quota_status as (
  used int,
  max int,
  resets_at timestamptz
);

create table quota_usage (
  team_id uuid not null references teams on delete cascade,
  quota text not null,
  period date not null,
  used int not null,
  primary key (team_id, quota, period)
) with (fillfactor = 50);
