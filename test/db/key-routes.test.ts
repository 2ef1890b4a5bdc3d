import { openTeamDatabase, readPublicAccess } from '@earshot/db'
import { purgeDeleted } from '@earshot/db/maintenance'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { invitationsOf } from '../support/invitations.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { asOperator } from '../support/webhook-fixture.ts'

const OTHER_ROUTES = 20_000

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test('a route is written, moved and deleted with the row that holds its key, and there is no other', async () => {
  const client = service.client(team.token)
  const [kept, revoked] = [await client.publicKeys.create(team.project), await client.publicKeys.create(team.project)]
  await client.publicKeys.delete({ ...team.project, public_key_id: revoked.id })
  await client.surveys.create({ ...team.project, name: 'Survey' })
  await client.widgets.create({ ...team.project, name: 'Widget', layout: 'wall' })
  const ours = invitationsOf(service, team)
  const [resent, withdrawn] = [await ours.invite('one@example.com'), await ours.invite('two@example.com')]
  await ours.resend(resent.body.id)
  await ours.revoke(withdrawn.body.id)
  const receipts = [await leaveFeedback(kept.key), await leaveFeedback(team.publicKey)]
  // Without a receipt there is nothing to revoke.
  await team.submit()
  await withdraw(receipts[0])

  expect(await routes()).toEqual(await keys())
  expect(await routes()).toHaveLength(3 + 2 + 2 + 1 + 1)

  await service.database.run("update teams set deleted_at = now() - interval '25 hours' where id = $1", [team.id])
  await purgeDeleted(service.database)
  expect(await keys()).toEqual([])
  expect(await routes()).toEqual([])
})

test('a purged submission and a purged project leave no route', async () => {
  await leaveFeedback(team.publicKey)
  await service.database.run("update submissions set deleted_at = now() - interval '25 hours' where team_id = $1", [team.id])
  await purgeDeleted(service.database)
  expect(await routes()).toHaveLength(1)
  await service.database.run("update projects set deleted_at = now() - interval '25 hours' where team_id = $1", [team.id])
  await purgeDeleted(service.database)
  expect(await routes()).toEqual([])
})

test('a key is good for the row that holds it alone, wherever its route leads', async () => {
  const other = await makeTeam(service.database)
  const receipt = await leaveFeedback(team.publicKey)
  await leaveFeedback(other.publicKey)
  // Each route of the team leads to its counterpart in the other team.
  await service.database.run(
    `update key_routes r
        set team_id = o.team_id, project_id = o.project_id, record_id = o.id
       from (
              select k.team_id, k.project_id, k.id, false as is_receipt from public_keys k
              union all
              select s.team_id, s.project_id, s.id, true from submissions s
            ) o
      where r.team_id = $1 and o.team_id = $2
        and o.is_receipt = exists (select from submissions s where s.team_id = $1 and s.id = r.record_id)`,
    [team.id, other.id],
  )
  expect(await withdraw(receipt)).toBe(404)
  expect((await service.send('GET', `/api/public/v1/projects/${team.publicKey}/`)).status).toBe(404)
  const revoked = 'select from submissions where consent_revoked_at is not null and team_id = any ($1)'
  expect(await service.database.run(revoked, [[team.id, other.id]])).toEqual([])
})

test('finding a public key reads one route, with a plan that was made while there were few', async () => {
  const bound = openTeamDatabase({ address: service.address, poolSize: 1, applicationName: 'earshot test bound' })
  const runs = { unbound: service.database, bound: bound.forTeam(team.id) }
  for (const [name, database] of Object.entries(runs)) {
    // Few routes, and the planner knows it.
    await asOperator(service.address, 'delete from key_routes where record_id not in (select id from public_keys)')
    await asOperator(service.address, 'vacuum full analyze key_routes')
    const query = { publicKey: team.publicKey, subject: name, address: name, limit: { max: 1000, windowSeconds: 60 } }
    // One connection: its plan is kept, and its statistics are its own.
    const reads = await database.transaction(async (tx) => {
      await readPublicAccess(tx, query)
      await tx.run(
        `insert into key_routes (key_hash, team_id, record_id)
         select sha256(convert_to($2 || i, 'UTF8')), $1, uuidv7() from generate_series(1, ${OTHER_ROUTES}) i`,
        [team.id, name],
      )
      const before = await readsOfRoutes(tx)
      expect(await readPublicAccess(tx, query)).toMatchObject(team.project)
      return [before, await readsOfRoutes(tx)]
    })
    expect(Number(reads[1]) - Number(reads[0]), name).toBe(1)
  }
  await bound.close()
})

type Runner = Pick<TestService['database'], 'run'>

async function readsOfRoutes(tx: Runner): Promise<number | undefined> {
  const [row] = await tx.run<{ reads: number }>(
    "select (seq_tup_read + idx_tup_fetch)::int as reads from pg_stat_xact_user_tables where relname = 'key_routes'",
    [],
  )
  return row?.reads
}

async function leaveFeedback(publicKey: string): Promise<string> {
  const body = { body: `Saved us a week. ${publicKey}`, author: { name: 'Ada' }, consent: { granted: true } }
  const receipt = await service.send('POST', `/api/public/v1/projects/${publicKey}/submissions/`, { body })
  expect(receipt.status, JSON.stringify(receipt.body)).toBe(201)
  return receipt.body.revoke_token
}

async function withdraw(revoke_token: string | undefined): Promise<number> {
  return (await service.send('POST', '/api/public/v1/consent/revoke/', { body: { revoke_token } })).status
}

/** Where the routes of the team lead. */
function routes() {
  return service.database.run(
    `select encode(key_hash, 'hex') as key, project_id, record_id as id from key_routes where team_id = $1 order by 1`,
    [team.id],
  )
}

/** The keys that the team's rows hold. */
function keys() {
  return service.database.run(
    `select encode(sha256(convert_to(key, 'UTF8')), 'hex') as key, project_id, id from public_keys where team_id = $1
      union all
     select encode(token_hash, 'hex'), null, id from invitations where team_id = $1
      union all
     select encode(revoke_token_hash, 'hex'), project_id, id from submissions where team_id = $1 and revoke_token_hash is not null
      union all
     select encode(sha256(convert_to('survey:' || id, 'UTF8')), 'hex'), project_id, id from surveys where team_id = $1
      union all
     select encode(token_hash, 'hex'), project_id, id from videos where team_id = $1
      union all
     select encode(sha256(convert_to('widget:' || id, 'UTF8')), 'hex'), project_id, id from widgets where team_id = $1
      order by 1`,
    [team.id],
  )
}
