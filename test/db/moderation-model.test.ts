import { randomUUID } from 'node:crypto'
import type { SubmissionState } from '@earshot/contracts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { anyCall, type CallResult, perform, revokeTokenHash } from './moderators.ts'

const SUBMISSIONS = 3
const RUNS = 150
const LONGEST_MS = 120_000

let store: TestDatabase
let team: Team
beforeAll(async () => {
  store = await openTestDatabase({ poolSize: 16 })
  team = await makeTeam(store.database)
})
afterAll(() => store.close())

test(
  'under any concurrent moderation each change happens, is emitted, logged and counted once',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall(SUBMISSIONS), { minLength: 2, maxLength: 24 }), async (calls) => {
        const run = randomUUID()
        const refs = await Promise.all(Array.from({ length: SUBMISSIONS }, (_, index) => submit(run, index)))
        const results = (await Promise.all(calls.map((call) => perform(store.database, { run, refs }, call)))).flat()
        for (const [index, { submission_id }] of refs.entries()) {
          requireOneStory(
            await readTraces(submission_id),
            results.filter(({ submission }) => submission === index),
          )
        }
        expect(await readCounters()).toEqual(await recount())
      }),
      { numRuns: RUNS },
    )
  },
  LONGEST_MS,
)

/** Every second one may be published; ratings make the sums tell. */
async function submit(run: string, index: number) {
  const [row] = await store.database.run<{ id: string }>(
    `select id
       from create_submissions(array[$1::uuid], array[$2::uuid], array[uuidv7()], array[$3::jsonb], array[$4::bytea])`,
    [
      team.id,
      team.project.project_id,
      JSON.stringify({
        kind: 'text',
        channel: 'public',
        body: 'Words',
        author_name: 'Ada',
        consent_granted: index !== 1,
        ...(index > 0 && { rating: index + 1 }),
      }),
      revokeTokenHash(run, index),
    ],
  )
  return { ...team.project, submission_id: row?.id ?? '' }
}

interface Traces {
  row: { state: SubmissionState; revoked: boolean; deleted: boolean }
  events: { type: string; state: SubmissionState }[]
  audit: { action: string; from: SubmissionState | null; to: SubmissionState | null }[]
}

/** What the calls left behind. Ids are made under the record's lock, so their order is that of the changes. */
async function readTraces(id: string): Promise<Traces> {
  const { client } = store.database
  const [row] = await client<[Traces['row']]>`
    select state, consent_revoked_at is not null as revoked, deleted_at is not null as deleted from submissions where id = ${id}`
  const events = await client<Traces['events']>`
    select type, payload::jsonb #>> '{data,submission,state}' as state
      from events
     where payload::jsonb #>> '{data,submission,id}' = ${id} and type <> 'submission.created'
     order by id`
  const audit = await client<Traces['audit']>`
    select action, changes #>> '{state,from}' as from, changes #>> '{state,to}' as to from audit_entries where target_id = ${id} order by id`
  return { row, events: [...events], audit: [...audit] }
}

/** There is one order of all calls in which each got the answer that it got, and the record, events and log tell the same. */
function requireOneStory({ row, events, audit }: Traces, results: CallResult[]): void {
  const moderated = results.filter(({ kind }) => kind === 'moderate')
  const changed = moderated.filter(({ outcome }) => outcome === 'changed')
  const moves = audit.filter(({ action }) => action !== 'submission.deleted')
  const states = ['pending', ...moves.map(({ to }) => to)]

  expect(moves.map(({ from }) => from)).toEqual(states.slice(0, -1))
  expect(moves.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(changed.map((call) => `${call.expected_state} ${call.to}`).sort())
  expect(events).toEqual(moves.map(({ to }) => ({ type: `submission.${to}`, state: to })))
  expect(row.state).toBe(states.at(-1))

  for (const { outcome, state, to, expected_state } of moderated) {
    if (outcome === 'not_found') expect(row.deleted).toBe(true)
    else expect(states).toContain(state)
    if (outcome === 'changed' || outcome === 'unchanged') expect(state).toBe(to)
    if (outcome === 'conflict') expect([to, expected_state]).not.toContain(state)
  }
  requireOneEnd({ row, audit, events }, results)
}

function requireOneEnd({ row, audit }: Traces, results: CallResult[]): void {
  const done = (kind: CallResult['kind']) => results.filter((call) => call.kind === kind && call.outcome === 'changed').length
  const asked = results.filter(({ kind }) => kind === 'delete').length
  expect(done('delete')).toBe(Math.min(1, asked))
  expect(audit.map(({ action }) => action === 'submission.deleted').indexOf(true)).toBe(asked > 0 ? audit.length - 1 : -1)
  expect(row).toMatchObject({ deleted: asked > 0, revoked: done('revoke') > 0 })
  if (!row.deleted) expect(results.filter(({ outcome }) => outcome === 'not_found')).toEqual([])
}

async function readCounters() {
  return store.database
    .client`select public_count, rated_count, rating_sum from project_counters where project_id = ${team.project.project_id}`
}

/** Nothing was ever public: then there is no row yet either. */
async function recount() {
  return store.database.client`
    select count(*)::int as public_count, count(rating)::int as rated_count, coalesce(sum(rating), 0)::int as rating_sum
      from submissions
     where project_id = ${team.project.project_id} and is_public
    having exists (select from project_counters where project_id = ${team.project.project_id})`
}
