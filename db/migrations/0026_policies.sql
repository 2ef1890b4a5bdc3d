-- Row-level security, the second line of defence: the serving role sees the one team that the request set; the worker's role
-- works across teams. The owner, whose functions authorize requests, is not bound.

do $$
declare
  v_table text;
begin
  foreach v_table in array array[
    'key_routes', 'memberships', 'notifications', 'invitations', 'projects', 'public_keys', 'project_counters', 'submissions', 'submission_tags', 'submission_metadata',
    'visitor_fingerprints', 'events', 'unnumbered_events', 'feed_positions', 'feed_ends', 'webhook_endpoints', 'webhook_deliveries', 'webhook_delivery_history',
    'webhook_attempts', 'webhook_replays', 'quota_usage', 'audit_entries', 'surveys', 'survey_versions',
    'survey_responses', 'widgets', 'submission_totals', 'submission_days', 'submission_changes', 'tag_totals', 'tag_changes',
    'response_changes', 'response_days', 'answer_totals', 'search_lists', 'search_segments', 'imports', 'import_files', 'import_rows', 'unused_blobs', 'privacy_requests', 'erased_records',
    'videos', 'video_parts', 'video_captions', 'transcode_turns'
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
