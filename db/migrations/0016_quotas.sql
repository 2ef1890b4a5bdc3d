-- What teams used of their monthly quotas.

-- Where a team stands in a monthly quota; see consume_quota().
create type quota_status as (
  used int,
  max int,
  resets_at timestamptz
);

-- What was used of a quota is the sum of its stripes: writers of one team update different rows. A stripe may be used up to
-- `granted` without a look at the others, while `max` is still the quota of the plan.
-- `used` ends the key, so that the newest version of a stripe is found first. While a long transaction keeps the versions
-- before it from being removed, a look-up without it would pass all of them.
create table quota_usage (
  team_id uuid not null references teams on delete cascade,
  quota text not null,
  period date not null,
  stripe int not null default 0,
  used int not null default 0,
  granted int not null default 0,
  max int not null default 0,
  primary key (team_id, quota, period, stripe, used)
) with (fillfactor = 50);
