import { randomBytes } from 'node:crypto'
import { type DatabaseAddress, openDatabase } from '@earshot/db'
import { startEmbeddedPostgres } from '@earshot/db/embedded'
import { makeDataDir } from '../support/data-dir.ts'
import { makeTeam } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { runService, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { installPgBouncer, startPgBouncer } from './pgbouncer.ts'

const SHARED_MODES = ['transaction', 'statement'] as const
const UNSUPPORTED = /^DATABASE_URL is the address of a pooler in transaction or statement mode, which Earshot does not support: .+\n$/

/** Runs the service behind PgBouncer. Resolves to the problems, or null. */
export async function checkPooler(): Promise<string | null> {
  const missing = await installPgBouncer()
  if (missing !== null) return missing
  await using data = makeDataDir()
  const cluster = await startEmbeddedPostgres({ dataDir: data.path })
  try {
    await using pooler = await startPgBouncer(cluster.connection)
    const key = randomBytes(32).toString('base64')
    const environmentOf = (mode: Parameters<typeof pooler.urlOf>[0]) => ({ DATABASE_URL: pooler.urlOf(mode), EARSHOT_SECRET_KEY: key })
    const problems = [
      await serveAndDeliver(environmentOf('session'), cluster.connection).then(
        () => null,
        (error: unknown) => `session mode: ${error}\n${pooler.output()}`,
      ),
      ...(await Promise.all(SHARED_MODES.map((mode) => problemOfStart(mode, environmentOf(mode))))),
    ].filter((problem) => problem !== null)
    return problems.length === 0 ? null : problems.join('; ')
  } finally {
    await cluster.stop()
  }
}

/** A visitor's request, a moderator's, a delivery and a job of the queue, with both roles of row-level security. */
async function serveAndDeliver(environment: Record<string, string>, address: DatabaseAddress): Promise<void> {
  await using service = await startService({
    ...environment,
    EARSHOT_ROW_LEVEL_SECURITY: 'on',
    EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on',
  })
  await using receiver = await startReceiver()
  // Past the pooler, as the superuser.
  const database = openDatabase({ address, poolSize: 1, applicationName: 'earshot conformance' })
  try {
    const team = await makeTeam(database)
    const client = service.client(team.token)
    await client.webhooks.create({ team_id: team.id, url: receiver.url, events: ['submission.approved'] })
    const words = { body: 'Saved us a week.', author: { name: 'Ada' }, consent: { granted: true } }
    const created = await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: words })
    await client.submissions.approve({ ...team.project, submission_id: created.body.id })
    await until('the approval is delivered', () => receiver.requests.length === 1)
    await client.invitations.create({ team_id: team.id, email: 'grace@example.com', role: 'viewer' })
    await until('the queue has run the job of the mail', async () => {
      const mails = await database.run("select from queue_depths() where task = 'mail'", [])
      return mails.length === 0
    })
    const listening = await database.run("select from pg_stat_activity where query ilike 'listen%'", [])
    if (listening.length === 0) throw new Error('The queue does not listen for new jobs')
  } finally {
    await database.close()
  }
}

async function problemOfStart(mode: string, environment: Record<string, string>): Promise<string | null> {
  const { code, output } = await runService(environment)
  return code === 1 && UNSUPPORTED.test(output) ? null : `${mode} mode: exit code ${code}, ${output}`
}
