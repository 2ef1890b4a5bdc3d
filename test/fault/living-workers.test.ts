import { queueMail } from '@earshot/db'
import { createSecretBox, sealMail } from '@earshot/drivers'
import { expect, test } from 'vitest'
import { isLongForm } from '../support/form.ts'
import { startMailServer } from '../support/mail-server.ts'
import { makeTeam } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { publicSubmission } from './load.ts'

const ENDPOINTS = 6
/** Longer than a worker waits before it judges others, and its next sweep. */
const SWEPT_SECONDS = 8
/** A response of a receiver or a mail server that takes longer is a failure of its own. */
const RESPONSE_SECONDS = 20
/** A worker takes back a claim whose result never arrived after 15 s. */
const UNHEARD_MS = 30_000
const GENEROUS_MS = 180_000

const ways = ['refuse', 'hold'] as const
const absences = isLongForm
  ? ways.flatMap((way) => [3, 8, 60].map((seconds) => ({ way, seconds })))
  : [{ way: 'refuse', seconds: 3 } as const, ...ways.map((way) => ({ way, seconds: 8 }))]

test.concurrent.for(absences)(
  'after $seconds s without the database ($way) two workers send nothing twice, and free no job that runs',
  { timeout: GENEROUS_MS },
  async ({ way, seconds }) => {
    const answers: (() => void)[] = []
    await using receiver = await startReceiver((response) => void answers.push(() => response.end()))
    const mailed = Promise.withResolvers<void>()
    await using mailServer = await startMailServer({ beforeAnswer: () => mailed.promise })
    await using remote = await openRemoteDatabase()
    const settings = {
      ...remote.environment,
      // Few connections: all of these services share one PostgreSQL.
      EARSHOT_WORKER_CONCURRENCY: '1',
      EARSHOT_SMTP_URL: `smtp://127.0.0.1:${mailServer.server.port}`,
      EARSHOT_MAIL_FROM: 'noreply@feedback.example',
    }
    await using first = await startService(settings)
    await using second = await startService(settings)
    const services = [first, second]
    const team = await makeTeam(remote.database)
    for (let index = 0; index < ENDPOINTS; index += 1)
      await first.client(team.token).webhooks.create({ team_id: team.id, url: `${receiver.url}/${index}`, events: ['*'] })
    const isShort = seconds < RESPONSE_SECONDS
    if (isShort) await queueMail(remote.database, resetMail(remote.environment.EARSHOT_SECRET_KEY))
    await until('both workers send, and one a mail', async () => {
      const path = `/api/public/v1/projects/${team.publicKey}/submissions/`
      await Promise.all(services.map((service) => service.send('POST', path, { body: publicSubmission() })))
      const [row] = await remote.database.run<{ workers: number }>(COUNT_SENDING, [])
      return row?.workers === 2 && mailServer.received.length === (isShort ? 1 : 0)
    })
    const before = { workers: await workersOf(remote), jobs: await runningJobs(remote) }
    expect(before.jobs).toHaveLength(isShort ? 1 : 0)

    await remote.proxy[way]()
    const isOver = absenceOf(seconds)
    await until(
      'the absence is over',
      () => {
        if (!isShort) for (const answer of answers.splice(0)) answer()
        return isOver()
      },
      GENEROUS_MS,
    )
    await remote.proxy.restore()
    await until('both workers have looked for dead ones', async () => (await lookedAround(remote)).length === 2, GENEROUS_MS)
    expect({ workers: await workersOf(remote), jobs: await runningJobs(remote) }).toEqual(before)

    mailed.resolve()
    await until(
      'all is delivered',
      async () => {
        for (const answer of answers.splice(0)) answer()
        return (await remote.database.run("select from webhook_deliveries where state in ('pending', 'sending')", [])).length === 0
      },
      UNHEARD_MS,
    )
    await until('the mail is sent', async () => (await runningJobs(remote)).length === 0)
    expect(receiver.deliveryIds().sort()).toEqual([...new Set(receiver.deliveryIds())].sort())
    expect(mailServer.received).toHaveLength(isShort ? 1 : 0)
  },
)

const COUNT_SENDING = "select count(distinct worker_id)::int as workers from webhook_deliveries where state = 'sending'"

function absenceOf(seconds: number): () => boolean {
  const endMs = performance.now() + seconds * 1000
  return () => performance.now() >= endMs
}

const workersOf = ({ database }: RemoteDatabase) => database.run('select id, job_pool_id from webhook_workers order by id', [])

/** Workers that have sent heartbeats again for long enough to sweep. */
const lookedAround = ({ database }: RemoteDatabase) =>
  database.run(
    `select from webhook_workers where seen_at > now() - interval '3 seconds' and steady_since < now() - ${SWEPT_SECONDS} * interval '1 second'`,
    [],
  )

/** Mails alone: scheduled tasks run whenever their minute comes. */
async function runningJobs({ asOwner }: RemoteDatabase): Promise<unknown[]> {
  let jobs: unknown[] = []
  await asOwner(async (sql) => {
    jobs = [
      ...(await sql`
      select j.id, j.locked_by
        from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id
       where j.locked_by is not null and t.identifier = 'mail'`),
    ]
  })
  return jobs
}

function resetMail(secretKey: string) {
  const secretBox = createSecretBox(Buffer.from(secretKey, 'base64'))
  return sealMail(secretBox, {
    ...{ to: 'ada@analytical.example', template: 'password-reset', fields: { name: 'Ada' } },
    secret: { token: 'a-token-that-opens-an-account' },
  })
}
