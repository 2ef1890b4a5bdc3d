-- Notes what responses add to the figures: p_amount is 1 for new ones, -1 for deleted ones. p_buckets says of each what its
-- answers count as: [{question_id, bucket, number}].
create or replace function note_response_changes(p_responses survey_responses[], p_buckets jsonb[], p_amount int) returns void
language sql as $$
  insert into response_changes (
    team_id, project_id, survey_id, amount, day, survey_version, language, nps_score, question_ids, buckets, numbers
  )
  select r.team_id, r.project_id, r.survey_id, p_amount, r.day, r.survey_version, coalesce(r.language, ''), r.nps_score,
         b.question_ids, b.buckets, b.numbers
    from unnest(p_buckets) with ordinality n (buckets, number)
   cross join lateral (select (p_responses[n.number]).*) r
   cross join lateral (
           select coalesce(array_agg(b.question_id), '{}') as question_ids, coalesce(array_agg(b.bucket), '{}') as buckets,
                  coalesce(array_agg(b.number), '{}') as numbers
             from jsonb_to_recordset(n.buckets) as b (question_id uuid, bucket text, number numeric)
         ) b
$$;
