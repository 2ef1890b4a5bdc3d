import { type DeliverySource, openDeliverySource } from '../receivers/delivery-source.ts'
import { type DataDir, makeDataDir } from '../support/data-dir.ts'
import { startReceiver } from '../support/receiver.ts'
import { runAdmin } from '../support/run-admin.ts'
import { startService } from '../support/service-process.ts'
import { account } from './account.ts'
import { makeRecords, type Records } from './records.ts'
import { makeTourist, type Tourist } from './tourist.ts'

/** A running service that checks share, with a receiver of its deliveries. */
export interface Surroundings {
  url: string
  /** Variables with which the admin CLI finds the service's database. */
  environment: Record<string, string>
  /** Records that Schemathesis changes, and other checks read before it. */
  records: Records
  /** The same for a program that needs a token. */
  place: { url: string; token: string; project: Records['forHooks'] }
  openSource: () => Promise<DeliverySource>
  /** Makes a team of its own. */
  makeTourist: () => Promise<Tourist>
}

/** Starts the service as an operator would run it. `output` is what it logged. */
export async function openSurroundings(): Promise<Surroundings & { output: () => string } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const receiver = stack.use(await startReceiver())
  const data = stack.use(makeDataDir())
  const service = stack.use(await startService(settingsOf(data)))
  const { url } = service
  const environment = { EARSHOT_DATA_DIR: data.path }
  await runAdmin(environment, 'user', 'create', '--email', account.email, '--password', account.password)
  const records = await makeRecords(url, await data.makeTeam(), receiver.url)
  const sender = await data.makeTeam()
  const opened = stack.move()
  return {
    ...{ url, environment, records },
    place: { url, token: records.token, project: records.forHooks },
    openSource: () => openDeliverySource(service.client(sender.token), sender),
    makeTourist: () => makeTourist(url, data),
    output: service.output,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function settingsOf({ path }: DataDir): Record<string, string> {
  return {
    EARSHOT_DATA_DIR: path,
    // As an operator would run it: to Redocly, a document that names localhost as its server is a finding.
    EARSHOT_BASE_URL: 'https://feedback.example',
    EARSHOT_MAX_TEAMS_PER_USER: '10000',
    // Deliveries go to this process and nowhere else.
    EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on',
    EARSHOT_LOG_LEVEL: 'warn',
  }
}
