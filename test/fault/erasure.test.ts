import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createSecretBox } from '@earshot/drivers'
import { createLog } from '@earshot/server'
import postgres from 'postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { indexSearch } from '../../db/src/search/index-search.ts'
import { dumpWhole } from '../support/dump.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { answersTo, COUNTED } from '../support/survey-answers.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const WORKER = fileURLToPath(new URL('../support/worker-process.ts', import.meta.url))
/** In the person's words, and nowhere else. */
const MARKER = 'Quagmirevine'
const EMAIL = 'Grace.Marker+tag@Example.com'
/** Submissions of the person whose erasure is interrupted. */
const MANY = 1_500
/** Until another worker takes over the jobs of a dead one. */
const TAKEN_OVER_MS = 40_000

const secretKey = randomBytes(32)
let service: TestService
let lines: string[]
let workers: ChildProcess[]
beforeEach(async () => {
  lines = []
  workers = []
  const keep = { write: (line: string) => void lines.push(line) }
  service = await startTestService({
    services: { secretBox: createSecretBox(secretKey) },
    log: createLog({ level: 'debug', sink: keep }),
  })
})
afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL')
  await service.close()
})

/** Starts a worker in a process of its own. */
async function startWorkerProcess(): Promise<ChildProcess> {
  const options = JSON.stringify({ address: service.address, secretKey: secretKey.toString('base64') })
  const worker = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER, options], { stdio: ['ignore', 'pipe', 'pipe'] })
  workers.push(worker)
  worker.stderr?.setEncoding('utf8').on('data', (text) => lines.push(text))
  await once(worker.stdout ?? worker, 'data')
  return worker
}

async function kill(worker: ChildProcess): Promise<void> {
  const gone = once(worker, 'exit')
  worker.kill('SIGKILL')
  await gone
}

/** Returns which of the person's words stand in a text, whatever their case. */
function wordsIn(text: string): string[] {
  return [EMAIL, MARKER].filter((word) => text.toLowerCase().includes(word.toLowerCase()))
}

async function read(team: Team, request_id: string) {
  return service.client(team.token).privacy.requests.retrieve({ team_id: team.id, request_id })
}

test('after an erasure no table, partition, job or log has the address or a word of the person', { timeout: 120_000 }, async () => {
  await startWorkerProcess()
  const team = await makeTeam(service.database)
  await using receiver = await startReceiver((response, { body }) => {
    response.writeHead(200, { 'x-echo': encodeURIComponent(EMAIL) }).end(body)
  })
  await using failing = await startReceiver((response, { body }) => void response.writeHead(503).end(`no: ${body}`))
  await leaveTraces(team, { receiver, failing })
  while (await indexSearch(service.database, { newRecords: 1, mergedSegments: 2, minAgeSeconds: 0 }));
  const before = await dumpWhole(service.address)
  for (const [table, word] of FILLED) expect(wordsIn(before[table] ?? ''), table).toEqual(word)

  const client = service.client(team.token)
  const { id } = await client.privacy.erase({ team_id: team.id, email: EMAIL.toLowerCase() })
  await until('the erasure is completed', async () => (await read(team, id)).state === 'completed', 30_000)
  await until('the index is built again', async () => {
    const [row] = await service.database.run<{ stale: number }>('select count(*)::int as stale from search_segments where is_stale', [])
    return row?.stale === 0
  })
  await until('tags are counted', async () => (await service.database.run('select from tag_changes', [])).length === 0)
  const after = await dumpWhole(service.address)
  for (const [table, text] of Object.entries(after)) expect(wordsIn(text), table).toEqual([])
  expect(wordsIn(lines.join(''))).toEqual([])
  const receipt = await read(team, id)
  expect(Object.entries(receipt.counts).filter(([, count]) => count === 0)).toEqual([])
  expect(receipt.recipients).toMatchObject([{ url: `${receiver.url}/` }])
})

/** Tables in which a word of the person stands before. */
const FILLED: [string, string[]][] = [
  ['submissions', [EMAIL, MARKER]],
  ['submission_tags', [EMAIL, MARKER]],
  ['submission_metadata', [EMAIL, MARKER]],
  ['tag_totals', [EMAIL, MARKER]],
  ['videos', [EMAIL, MARKER]],
  ['video_captions', [EMAIL, MARKER]],
  ['survey_responses', [EMAIL, MARKER]],
  ['invitations', [EMAIL]],
  ['events', [EMAIL, MARKER]],
  ['webhook_attempts', [EMAIL, MARKER]],
  ['audit_entries', [EMAIL, MARKER]],
  ['mails', [EMAIL]],
  ['imports', [EMAIL, MARKER]],
  ['import_files', [EMAIL, MARKER]],
  ['import_rows', [EMAIL, MARKER]],
]

/** Lets the person through every channel of a team, and the team work with what came. */
async function leaveTraces(team: Team, { receiver, failing }: { receiver: Receiver; failing: Receiver }): Promise<void> {
  const client = service.client(team.token)
  const { id: webhook_id } = await client.webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
  await client.webhooks.create({ team_id: team.id, url: failing.url, events: ['*'] })
  await service.database.run('update webhook_endpoints set local_trial = true where team_id = $1', [team.id])
  const author = { name: `${MARKER} Hopper`, email: EMAIL }
  const send = (path: string, body: object) =>
    service.send('POST', path, { token: team.token, body, headers: { 'idempotency-key': crypto.randomUUID() } })

  await send(`/api/public/v1/projects/${team.publicKey}/submissions/`, { body: `${MARKER} by form`, author, consent: { granted: true } })
  const project = `/api/v1/teams/${team.id}/projects/${team.project.project_id}`
  const created = await send(`${project}/submissions/`, { kind: 'text', body: `${MARKER} by API`, author, external_id: EMAIL })
  const testimonial = {
    body: `${MARKER} elsewhere`,
    author,
    excerpt: MARKER,
    source: { url: `https://example.com/${encodeURIComponent(EMAIL)}` },
  }
  await send(`${project}/testimonials/`, testimonial)
  await client.submissions.update({
    ...{ ...team.project, submission_id: created.body.id, tags: [EMAIL, MARKER] },
    metadata: { mail: EMAIL, words: MARKER },
  })
  await send(`${project}/submissions/${created.body.id}/reject/`, { reason: `${MARKER} of ${EMAIL}` })
  await send(`${project}/submissions/`, {
    kind: 'text',
    body: `Not ${EMAIL.toUpperCase()}`,
    author: { name: 'Bob', email: 'bob@example.com' },
  })

  const survey = await client.surveys.create({ ...team.project, name: 'NPS', questions: COUNTED })
  await client.surveys.publish({ ...team.project, survey_id: survey.id })
  const answers = answersTo(survey.questions, { recommend: 2, email: EMAIL, words: MARKER })
  await send(`/api/public/v1/surveys/${survey.id}/responses/`, { answers, hidden: { mail: EMAIL } })
  await send(`${project}/surveys/${survey.id}/responses/`, { answers, respondent: { email: EMAIL, name: MARKER } })
  await send(`/api/v1/teams/${team.id}/invitations/`, { email: EMAIL, role: 'member' })
  await leaveVideos(team, send)
  await leaveImport(team)

  for await (const _submission of client.submissions.export({ ...team.project }));
  await send(`/api/v1/teams/${team.id}/privacy/export/`, { email: EMAIL })
  await service.send('GET', `${project}/submissions/?search=${encodeURIComponent(EMAIL)}`, { token: team.token })
  const isOpen = () =>
    service.database.run("select from all_webhook_deliveries where endpoint_id = $1 and state <> 'succeeded'", [webhook_id])
  await until('all is delivered', async () => (await isOpen()).length === 0)
  await until('all have failed once', async () => failing.requests.length >= receiver.requests.length)
  await until('tags are counted', async () => (await service.database.run('select from tag_changes', [])).length === 0)
}

/** Leaves a video of the person whose draft was submitted, and one of somebody else who names the address. */
async function leaveVideos({ project: { team_id, project_id } }: Team, send: (path: string, body: object) => Promise<TestResponse>) {
  const videos = `/api/v1/teams/${team_id}/projects/${project_id}/videos`
  const reserve = (draft: object) => send(`${videos}/`, { file_name: `${EMAIL}.webm`, content_type: 'video/webm', size_bytes: 100, draft })
  const caption = (words: string) => ({ language: 'en', label: words, vtt: `WEBVTT\n\n00:00.000 --> 00:01.000\n${words}\n` })
  const author = { name: MARKER, email: EMAIL, website_url: `https://example.com/${MARKER}` }
  const own = await reserve({ title: MARKER, body: `${MARKER} on video`, author, metadata: { [MARKER]: EMAIL } })
  await send(`${videos}/${own.body.video.id}/captions/`, caption(`${MARKER} ${EMAIL}`))
  await send(`${videos}/${own.body.video.id}/draft/submit/`, {})
  const other = await reserve({ body: `Not ${EMAIL}`, author: { name: 'Bob', email: 'bob@example.com' }, metadata: { mail: EMAIL } })
  await send(`${videos}/${other.body.video.id}/captions/`, caption(EMAIL))
}

/** Leaves a failed import with its file, a row that failed, and a preview. */
async function leaveImport({ project: { team_id, project_id }, ownerId }: Team): Promise<void> {
  const row = `${MARKER};${EMAIL}`
  await service.database.run(
    `with made as (
       insert into imports (team_id, project_id, state, target, file_name, mapping, mode, dry_run, suppress_events, columns, preview, created_by)
       values ($1, $2, 'failed', 'testimonials', $3, jsonb_build_object($3::text, 'body'), 'create', false, false, array[$3], jsonb_build_array($3::text), $4)
       returning id
     ), file as (
       insert into import_files (team_id, project_id, import_id, bytes)
       select $1, $2, id, convert_to('name;mail' || E'\\n' || $3, 'UTF8') from made
     )
     insert into import_rows (team_id, project_id, import_id, row_number, line, code, detail, row_text, author_email)
     select $1, $2, id, 1, 2, 'required', 'Is empty', $3, lower($5) from made`,
    [team_id, project_id, row, ownerId, EMAIL],
  )
}

test.for(['erased_records', 'events', 'mails'])(
  'an erasure whose worker is killed while it writes to %s is continued by another one, and ends with the same figures',
  { timeout: 120_000 },
  async (table) => {
    const team = await makeTeam(service.database)
    await makeMany(team)
    const other = await team.submit({ author_email: 'bob@example.com', body: 'Other words' })
    const { id } = await service.client(team.token).privacy.erase({ team_id: team.id, email: EMAIL })
    const sql = postgres({ ...service.address, max: 1, onnotice: () => {} })
    // The worker waits for the table in the middle of its transaction when it dies.
    await sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${table} in share row exclusive mode`)
      const worker = await startWorkerProcess()
      const isWaiting = () => tx`select from pg_locks where not granted and relation = ${table}::regclass`
      await until('the erasure waits for the table', async () => (await isWaiting()).length > 0)
      await kill(worker)
    })
    await sql.end()
    expect(await read(team, id)).toMatchObject({ state: 'running' })
    await startWorkerProcess()
    await until('another worker ends it', async () => (await read(team, id)).state === 'completed', TAKEN_OVER_MS)
    expect((await read(team, id)).counts).toMatchObject({ submissions: MANY, events: MANY })
    for (const [name, text] of Object.entries(await dumpWhole(service.address))) expect(wordsIn(text), name).toEqual([])
    const client = service.client(team.token)
    expect(await client.submissions.retrieve({ ...team.project, submission_id: other.id })).toMatchObject({ body: 'Other words' })
    expect(await client.submissions.counts(team.project)).toMatchObject({ total: 1 })
  },
)

/** Makes submissions of the person, each with its event. */
async function makeMany({ project: { team_id, project_id } }: Team): Promise<void> {
  await service.database.run(
    `select count(*)
       from create_submissions(
              array_fill($1::uuid, array[$4::int]), array_fill($2::uuid, array[$4::int]),
              array(select uuidv7() from generate_series(1, $4::int)),
              array(select jsonb_build_object('kind', 'text', 'channel', 'api', 'body', $5 || ' ' || i, 'author_name', 'Grace', 'author_email', $3::text)
                      from generate_series(1, $4::int) i),
              array_fill(null::bytea, array[$4::int]))`,
    [team_id, project_id, EMAIL, MANY, MARKER],
  )
}
