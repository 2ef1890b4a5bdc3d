import type { DatabaseAddress } from '@earshot/db'
import { openPlain } from '../plain-client.ts'
import type { Team } from '../teams.ts'

/**
 * Inserts submissions in which every field that an import carries is sometimes there and sometimes not, with texts that are
 * hard to write as CSV. Triggers are off: an export reads only these rows.
 */
export async function fillRecords(address: DatabaseAddress, { id, project_id }: Team, count: number): Promise<void> {
  const plain = openPlain(address, 1, { session_replication_role: 'replica' })
  await plain`
    insert into submissions (
      team_id, project_id, id, kind, state, channel, title, body, rating,
      author_name, author_email, author_title, author_company, author_avatar_url, author_website_url,
      consent_granted, consent_text, consent_granted_at, consent_revoked_at,
      source_provider, source_url, source_collected_at,
      language, tags, external_id, metadata, featured, excerpt, position
    )
    select ${id}, ${project_id}, uuidv7(make_interval(secs => i - ${count}::int)),
           case when i % 5 = 0 then 'text' when i % 7 = 0 then 'video' else 'testimonial' end,
           case when i % 10 < 6 then 'approved' when i % 10 < 8 then 'rejected' else 'pending' end, 'api',
           case i % 4 when 0 then 'Worth it, "really" ' || i when 1 then '=SUM(1;2) ' || i when 2 then '''+1 from me' end,
           case i % 6 when 0 then '- a dash first, ' when 1 then E'Two\\nlines; and a\\ttab, ' when 2 then ' "Quoted", 東京, ' when 3 then E'a \\\\ and CRLF\\r\\n' else '' end
             || 'Word' || i || ' saved us a week, and more than that. ' || repeat('It works well for our team. ', 5),
           nullif(i % 6, 0), 'Zoë Author ' || i, case when i % 4 > 0 then 'author' || i || '@example.com' end,
           case when i % 3 = 0 then 'CTO' end, case when i % 3 = 1 then 'Analytical Engines, Inc.' end,
           case when i % 8 = 0 then 'https://example.com/a,b/' || i || '.png' end, case when i % 8 = 1 then 'https://example.com/?q=' || i end,
           i % 4 > 0, case when i % 8 = 1 then 'You may publish this.' end,
           case when i % 4 > 0 then now() - make_interval(secs => i) end, case when i % 16 = 1 then now() end,
           case when i % 3 = 0 then 'g2' end, case when i % 6 = 0 then 'https://g2.example.com/r/' || i end, case when i % 3 = 0 then now() - make_interval(mins => i) end,
           case when i % 9 = 0 then 'pt-BR' when i % 2 = 0 then 'en' end,
           case when i % 5 = 0 then array['launch', 'big, really'] when i % 333 = 0 then array['rare'] else '{}' end,
           case when i % 7 = 0 then 'A-' || i end,
           case when i % 10 = 0 then '{"plan": "team", "seats": [1, 2.5, null, true], "at": {"=deep": "ü"}}' when i % 5 = 0 then '{"plan": "team"}' else '{}' end::jsonb,
           f.featured, case when f.featured then 'saved us a week' end, case when f.featured then i / 7.0 end
      from generate_series(1, ${count}::int) i
     cross join lateral (select i % 5 > 0 and i % 7 > 0 and i % 11 = 0 as featured) f`
  await plain.end()
}
