-- Finds the finished deliveries of an event that were replayed, redelivered or tests.
create index concurrently webhook_delivery_history_sent_again on webhook_delivery_history (team_id, event_id) where trigger <> 'auto';
