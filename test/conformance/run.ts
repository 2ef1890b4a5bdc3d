import { openDeliverySource } from '../receivers/delivery-source.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { startReceiver } from '../support/receiver.ts'
import { runAdmin } from '../support/run-admin.ts'
import { startService } from '../support/service-process.ts'
import { account } from './account.ts'
import { checkAccountPages } from './account-pages.ts'
import { checkBehaviour } from './behaviour.ts'
import { checkBudgets } from './budgets.ts'
import { checkClientPackage } from './client-package.ts'
import { checkClips } from './clips.ts'
import { checkCommandLine, keepScreens } from './command-line.ts'
import { checkDashboard } from './dashboard.ts'
import { checkDocument } from './document.ts'
import { checkEmbed } from './embed.ts'
import { checkGeneratedClients } from './generated-clients.ts'
import { checkGoModule } from './go-module.ts'
import { checkJourneys, keepJourneys } from './journeys.ts'
import { checkMcp } from './mcp.ts'
import { checkMcpSuite } from './mcp-suite.ts'
import { checkOtherBrowsers } from './other-browsers.ts'
import { checkPages } from './pages.ts'
import { checkPooler } from './pooler.ts'
import { checkPublished } from './published.ts'
import { checkPythonPackage } from './python-package.ts'
import { checkReceivers } from './receivers.ts'
import { makeRecords } from './records.ts'
import { checkReferencePages } from './reference-pages.ts'
import { checkShells } from './shells.ts'
import { checkSignIns, keepScreenshots } from './sign-ins.ts'
import { checkSlackMessages } from './slack-messages.ts'
import { checkStorage } from './storage.ts'
import { makeTourist } from './tourist.ts'
import { checkVisitorPages } from './visitor-pages.ts'

const LOGGED_CHARACTERS = 8_000

/** Outside tools check the running service: its document as it is served, and whether the service conforms to it. */
const problems = new Map<string, string | null>()

await using receiver = await startReceiver()
await using data = makeDataDir()
await using service = await startService({
  EARSHOT_DATA_DIR: data.path,
  // As an operator would run it: to Redocly, a document that names localhost as its server is a finding.
  EARSHOT_BASE_URL: 'https://feedback.example',
  EARSHOT_MAX_TEAMS_PER_USER: '10000',
  // Deliveries go to this process and nowhere else.
  EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
  EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on',
  EARSHOT_LOG_LEVEL: 'warn',
})
const environment = { EARSHOT_DATA_DIR: data.path }
await runAdmin(environment, 'user', 'create', '--email', account.email, '--password', account.password)
const records = await makeRecords(service.url, await data.makeTeam(), receiver.url)
const sender = await data.makeTeam()
const openSource = () => openDeliverySource(service.client(sender.token), sender)

problems.set('Redocly recommended-strict over the document', await checkDocument(`${service.url}/api/schema/`))
problems.set('Clients generated in TypeScript, Python and Go', await checkGeneratedClients(await makeTourist(service.url, data)))
problems.set(
  '@earshot/client as published, in Node 20, Bun, Deno and Chromium',
  await checkClientPackage(await makeTourist(service.url, data)),
)
problems.set('The Python package, which takes the tour', await checkPythonPackage(await makeTourist(service.url, data)))
problems.set('The Go module, which takes the tour', await checkGoModule(await makeTourist(service.url, data)))
problems.set('MDN HTTP Observatory over the pages', await checkPages(service.url, environment))
problems.set('Guide and samples in Swagger UI and Redoc, in Chromium', await checkReferencePages(service.url))
problems.set('Walls, badges and forms embedded in pages of another origin, in Chromium with axe-core', await checkEmbed())
problems.set('The pages of visitors in Chromium, with axe', await checkVisitorPages())
problems.set('The pages of the account, sign-in and OAuth in Chromium, with axe', await checkAccountPages())
problems.set('Five journeys of users, from their first page to their last, in Chromium', await checkJourneys())
problems.set('The main pages in Firefox and WebKitGTK', await checkOtherBrowsers())
problems.set('openid-client and oauth4webapi with Chromium', await checkSignIns())
problems.set('The packed command line under Node 20, 22 and 24, and in a terminal', await checkCommandLine())
if (process.argv.includes('--keep-screenshots')) {
  keepScreenshots()
  keepScreens()
  keepJourneys()
}
problems.set('Receivers with Flask, Go and openssl over deliveries', await checkReceivers(openSource))
problems.set("Messages for Slack by Slack's SDK", await checkSlackMessages())
problems.set('verifyWebhook as published, in Chromium', await checkPublished(openSource))
problems.set(
  'MCP Inspector over tools, prompts and resources, in both eras',
  await checkMcp({ url: service.url, token: records.token, project: records.forHooks }),
)
problems.set('The conformance suite of MCP over the server and its authorization', await checkMcpSuite())
problems.set(
  'earshot completion in bash, zsh and fish',
  await checkShells({ url: service.url, token: records.token, project: records.forHooks }),
)
problems.set('PgBouncer in session mode, and refused in others', await checkPooler())
problems.set('The blob store over S3, with versitygw, and uploads by tus-py-client and Chromium', await checkStorage())
problems.set('Clips of the transcoder with ffprobe, Chromium and strace', await checkClips())
// Alone: what runs beside it would slow it down.
problems.set('Lighthouse over the pages, and the keys of an inbox of 10,000', await checkBudgets())
// Both wait most of the time.
const [behaviour, dashboard] = await Promise.all([checkBehaviour(service.url, records), checkDashboard()])
problems.set('Schemathesis over every operation', behaviour)
problems.set('What people do on the dashboard, in Chromium with axe', dashboard)

const failed = [...problems.values()].filter((problem) => problem !== null).length
if (failed > 0) console.log(`\nWhat the service logged:\n${service.output().slice(0, LOGGED_CHARACTERS)}`)
console.log()
for (const [check, problem] of problems)
  console.log(`${problem === null ? 'passed' : 'FAILED'}  ${check}${problem === null ? '' : `: ${problem}`}`)
console.log(`${problems.size - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
