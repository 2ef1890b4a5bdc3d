import { countSubmissions, deleteSubmission, moderateSubmission, type SubmissionRow } from '@earshot/db'
import { foldSubmissionChanges } from '@earshot/db/dispatch'
import { purgeDeleted } from '@earshot/db/maintenance'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const WRITERS = 6
const LOOKS = 200

let store: TestDatabase
let service: TestService
let team: Team
beforeAll(async () => {
  store = await openTestDatabase({ poolSize: 12 })
  service = { ...(await startTestService({ database: store.database })), database: store.database }
})
beforeEach(async () => {
  team = await makeTeam(store.database)
})
afterAll(async () => {
  await service.close()
  await store.close()
})

test('the counts follow each change at once, by kind and state, folded or not', async () => {
  const client = service.client(team.token)
  const counts = () => client.submissions.counts(team.project)
  const none = { total: 0, pending: 0, approved: 0, rejected: 0 }
  expect(await counts()).toEqual({ ...none, kinds: { text: none, video: none, testimonial: none } })

  const [first, second] = [await team.submit(), await team.submit()]
  await team.submit({ kind: 'testimonial' })
  expect(await counts()).toMatchObject({ total: 3, pending: 3, kinds: { text: { total: 2, pending: 2 }, testimonial: { pending: 1 } } })
  await client.submissions.approve({ ...team.project, submission_id: first.id })
  await foldAll()
  await client.submissions.reject({ ...team.project, submission_id: second.id })
  expect(await counts()).toMatchObject({ ...{ total: 3, pending: 1, approved: 1, rejected: 1 }, kinds: { text: { pending: 0 } } })
  await client.submissions.delete({ ...team.project, submission_id: first.id })
  expect(await counts()).toMatchObject({ total: 2, pending: 1, approved: 0, rejected: 1 })
  await foldAll()
  expect(await counts()).toMatchObject({ total: 2, pending: 1, approved: 0, rejected: 1 })
  expect(await unfolded()).toBe(0)
})

test('a change that leaves kind and state is none', async () => {
  const { id } = await team.submit()
  await foldAll()
  await service.client(team.token).submissions.update({ ...team.project, submission_id: id, tags: ['a'] })
  expect(await unfolded()).toBe(0)
})

test('beside writers and folds the counts equal a full count at every moment', async () => {
  let isOver = false
  const write = async () => {
    const mine: SubmissionRow[] = []
    const steps = [
      async () => mine.push(await team.submit({ kind: mine.length % 3 ? 'text' : 'testimonial' })),
      async () => decide(mine, 'pending', 'approved'),
      async () => decide(mine, 'approved', 'rejected'),
      async () => undone(),
      async () => {
        const gone = mine.shift()
        if (gone) await deleteSubmission(store.database, actor(), { ...team.project, submission_id: gone.id })
      },
    ]
    while (!isOver) await steps[Math.floor(Math.random() * steps.length)]?.()
  }
  const foldOn = async () => {
    // Small folds: a look often finds a part of the changes folded.
    while (!isOver) await foldSubmissionChanges(store.database, { max: 3 })
  }
  const work = [...Array.from({ length: WRITERS }, write), foldOn(), foldOn()]
  for (let look = 0; look < LOOKS; look += 1) {
    const { counted, stored } = await lookOnce()
    expect(counted).toEqual(stored)
  }
  isOver = true
  await Promise.all(work)
  await foldAll()
  const { counted, stored } = await lookOnce()
  expect(counted).toEqual(stored)
  expect(counted.length).toBeGreaterThan(2)
})

test('a worker folds within seconds, and goes on when a project is gone for good', async () => {
  const gone = await makeTeam(store.database)
  await gone.submit()
  await store.database.run("update teams set deleted_at = now() - interval '25 hours' where id = $1", [gone.id])
  await purgeDeleted(store.database)
  await team.submit()
  const worker = await startTestDispatcher({ address: store.address, secretBox: service.secretBox })
  await expect.poll(unfolded).toBe(0)
  await worker.stop()
  expect(await store.database.run('select from submission_totals where team_id = $1', [gone.id])).toEqual([])
  expect(await service.client(team.token).submissions.counts(team.project)).toMatchObject({ total: 1, pending: 1 })
})

function actor() {
  return { userId: team.ownerId, credentialId: null, credentialKind: 'operator' as const, ip: null }
}

async function decide(rows: SubmissionRow[], from: 'pending' | 'approved', to: 'approved' | 'rejected'): Promise<void> {
  const row = rows.find(({ state }) => state === from)
  if (!row) return
  await moderateSubmission(store.database, actor(), { ...team.project, submission_id: row.id }, { expected_state: from, to, reason: null })
  row.state = to
}

/** What is rolled back was never counted. */
async function undone(): Promise<void> {
  const failure = new Error('undone')
  await store.database
    .transaction(async (tx) => {
      await tx.run(
        "insert into submissions (team_id, project_id, kind, channel, body, author_name) values ($1, $2, 'text', 'api', 'x', 'y')",
        [team.id, team.project.project_id],
      )
      throw failure
    })
    .catch((error: unknown) => expect(error).toBe(failure))
}

/** The counts and a full count in one snapshot. */
function lookOnce() {
  return store.database.transaction(async (tx) => {
    await tx.run('set transaction isolation level repeatable read', [])
    const byName = (rows: { kind: string; state: string; count: number }[]) =>
      rows.map(({ kind, state, count }) => `${kind} ${state} ${count}`).sort()
    const stored = await tx.run<{ kind: string; state: string; count: number }>(
      'select kind, state, count(*)::int as count from submissions where team_id = $1 and deleted_at is null group by kind, state',
      [team.id],
    )
    return { counted: byName(await countSubmissions(tx, team.project)), stored: byName(stored) }
  })
}

async function foldAll(): Promise<void> {
  while ((await foldSubmissionChanges(store.database, { max: 1_000 })) > 0);
}

async function unfolded(): Promise<number> {
  return (await store.database.run('select from submission_changes', [])).length
}
