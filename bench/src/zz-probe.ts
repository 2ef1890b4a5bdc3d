import { prepareDatabase, startEmbeddedPostgres, openDatabase, createSubmission, readVisit } from '@earshot/db'
import { makeTeams } from './teams.ts'
import { makeTemporaryDirectory } from './temporary-directory.ts'
import { familyMicroseconds } from './processor-time.ts'
using directory = makeTemporaryDirectory()
const pg = await startEmbeddedPostgres({ dataDir: directory.path })
await prepareDatabase(pg.connection)
const database = openDatabase({ address: pg.connection, role: 'earshot_worker', poolSize: 1, applicationName: 'x' })
const teams = await makeTeams(database, 200)
const [t] = teams
const ms = async (name: string, n: number, body: string) => {
  const rep = 3
  let best = 1e9
  for (let i = 0; i < rep; i++) {
    const s = familyMicroseconds(pg.pid()!)
    await database.client.unsafe(`do $$ declare r record; s submissions; v_id uuid; begin select * into s from submissions limit 1; for i in 1..${n} loop ${body} end loop; end $$`)
    best = Math.min(best, (familyMicroseconds(pg.pid()!) - s) / n)
  }
  console.log(name.padEnd(40), best.toFixed(1), 'µs')
}
await createSubmission(database, { team_id: t!.id, project_id: t!.project_id }, { kind: 'text', channel: 'public', body: 'Words', author_name: 'Ada', author_email: 'a@b.c', consent_granted: true, rating: 5 }, { revokeTokenHash: Buffer.alloc(32) })
const n = 2000
const fields = `jsonb_build_object('kind','text','channel','public','title',null,'body','Words number of a visitor','rating',5,'author_name','Ada','author_email','a@b.c','author_title',null,'author_company',null,'author_website_url',null,'consent_granted',true,'consent_text',null,'source_url',null,'language',null,'metadata','{}'::jsonb)`
await ms('empty', n, 'perform 1;')
await ms('visit', n, `select * into r from visit('${t!.publicKey}', 'p:10.0.0.' || (random()*100000)::int, 1000000000, 60);`)
await ms('count_request', n, `select * into r from count_request('p:10.0.0.' || (random()*100000)::int, 1000000000, 60);`)
await ms('iso_timestamp', n, `perform iso_timestamp(now());`)
await ms('submission_payload', n, `perform submission_payload(s);`)
await ms('emit_event', n, `perform emit_event('${t!.id}', '${t!.project_id}', 'submission.created', '{}');`)
await ms('emit_event with payload', n, `perform emit_event('${t!.id}', '${t!.project_id}', 'submission.created', jsonb_build_object('submission', submission_payload(s)));`)
await ms('consume_quota (spread no)', n, `perform consume_quota('${t!.id}', 'submissions');`)
await ms('jsonb_to_record', n, `select f.* into r from jsonb_to_record(${fields}) as f (kind text, channel text, title text, body text, rating smallint, author_name text, author_email text, author_title text, author_company text, author_avatar_url text, author_website_url text, consent_granted boolean, consent_text text, consent_granted_at timestamptz, source_provider text, source_url text, source_collected_at timestamptz, language text, tags text[], external_id text, metadata jsonb);`)
await ms('plain insert', n, `insert into submissions (team_id, project_id, kind, channel, body, rating, author_name, author_email, consent_granted, consent_granted_at, revoke_token_hash) values ('${t!.id}', '${t!.project_id}', 'text','public','Words',5,'Ada','a@b.c',true,now(),sha256(random()::text::bytea));`)
await ms('fingerprint', n, `insert into submission_fingerprints as f (team_id, project_id, ip_hmac, body_hash, submission_id) values ('${t!.id}', '${t!.project_id}', sha256(random()::text::bytea), sha256(random()::text::bytea), uuidv7()) on conflict (team_id, project_id, ip_hmac, body_hash) do update set submission_id = excluded.submission_id returning f.submission_id into v_id;`)
await ms('create_submission', n, `select * into r from create_submission('${t!.id}', '${t!.project_id}', ${fields}, sha256(random()::text::bytea), sha256(random()::text::bytea), sha256(random()::text::bytea));`)
const K = 3000
for (const round of [0, 1]) {
let s = familyMicroseconds(pg.pid()!)
for (let i = 0; i < K; i++) { const u = teams[i % 200]!; await createSubmission(database, { team_id: u.id, project_id: u.project_id }, { kind: 'text', channel: 'public', body: 'Words' + i, author_name: 'Ada', author_email: 'a@b.c', consent_granted: true, rating: 5 , title: null, metadata: {}}, { revokeTokenHash: Buffer.from(String(i + round * K).padStart(32)), fingerprint: { ipHmac: Buffer.from(String(i).padStart(32)), bodyHash: Buffer.from(String(round).padStart(32)) } }) }
console.log('createSubmission over the wire', ((familyMicroseconds(pg.pid()!) - s) / K).toFixed(0))
s = familyMicroseconds(pg.pid()!)
for (let i = 0; i < K; i++) { const u = teams[i % 200]!; await readVisit(database, { publicKey: u.publicKey, subject: 'x' + i, limit: { max: 1e9, windowSeconds: 60 } }) }
console.log('readVisit over the wire', ((familyMicroseconds(pg.pid()!) - s) / K).toFixed(0))
}
await database.close()
await pg.stop()
