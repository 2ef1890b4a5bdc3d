-- Row-level security, the second wall. The serving role sees one team, the one that the request set;
-- the worker's role works across teams. The owner, whose functions judge access, is bound by none.

do $$
declare
  v_table text;
begin
  foreach v_table in array array[
    'memberships', 'projects', 'public_keys', 'project_counters', 'submissions', 'submission_tags', 'submission_fingerprints',
    'events', 'webhook_endpoints', 'webhook_deliveries', 'webhook_attempts', 'quota_usage', 'audit_entries'
  ] loop
    execute format('alter table %I enable row level security', v_table);
    execute format(
      'create policy one_team on %I to earshot_app using (team_id = nullif(current_setting(''earshot.team_id'', true), '''')::uuid)', v_table);
    execute format('create policy every_team on %I to earshot_worker using (true)', v_table);
  end loop;
end $$;

alter table teams enable row level security;
create policy one_team on teams to earshot_app using (id = nullif(current_setting('earshot.team_id', true), '')::uuid);
create policy every_team on teams to earshot_worker using (true);
