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

/** What is checked, and by whom; resolves to the problem, or null. */
type Check = readonly [what: string, run: () => Promise<string | null>]

/** Words of the checks to run; all of them by default. */
const only = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

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
const { url } = service
const environment = { EARSHOT_DATA_DIR: data.path }
await runAdmin(environment, 'user', 'create', '--email', account.email, '--password', account.password)
const records = await makeRecords(url, await data.makeTeam(), receiver.url)
const sender = await data.makeTeam()
const openSource = () => openDeliverySource(service.client(sender.token), sender)
const place = { url, token: records.token, project: records.forHooks }

/** They use all processors: what runs beside them would wait for them. They install what later checks need. */
const heavy: readonly Check[] = [
  ['Redocly recommended-strict over the document', () => checkDocument(`${url}/api/schema/`)],
  ['Clients generated in TypeScript, Python and Go', async () => checkGeneratedClients(await makeTourist(url, data))],
  ['@earshot/client as published, in Node 20, Bun, Deno and Chromium', async () => checkClientPackage(await makeTourist(url, data))],
  ['The Python package, which takes the tour', async () => checkPythonPackage(await makeTourist(url, data))],
  ['The Go module, which takes the tour', async () => checkGoModule(await makeTourist(url, data))],
  ['The packed command line under Node 20, 22 and 24, and in a terminal', checkCommandLine],
  ['verifyWebhook as published, in Chromium', () => checkPublished(openSource)],
]

const programs: readonly Check[] = [
  ['MDN HTTP Observatory over the pages', () => checkPages(url, environment)],
  ['Receivers with Flask, Go and openssl over deliveries', () => checkReceivers(openSource)],
  ["Messages for Slack by Slack's SDK", checkSlackMessages],
  ['MCP Inspector over tools, prompts and resources, in both eras', () => checkMcp(place)],
  ['The conformance suite of MCP over the server and its authorization', checkMcpSuite],
  ['earshot completion in bash, zsh and fish', () => checkShells(place)],
  ['PgBouncer in session mode, and refused in others', checkPooler],
  ['The blob store over S3, with versitygw, and uploads by tus-py-client and Chromium', checkStorage],
]

const pages: readonly Check[] = [
  ['The pages of visitors in Chromium, with axe', checkVisitorPages],
  ['Guide and samples in Swagger UI and Redoc, in Chromium', () => checkReferencePages(url)],
  ['Walls, badges and forms embedded in pages of another origin, in Chromium with axe-core', checkEmbed],
  ['The pages of the account, sign-in and OAuth in Chromium, with axe', () => checkAccountPages()],
]

/** In them, a person has some seconds to act, or a device plays a clip. */
const timed: readonly Check[] = [
  ['Five journeys of users, from their first page to their last, in Chromium', () => checkJourneys()],
  ['The main pages in Firefox and WebKitGTK', () => checkOtherBrowsers()],
  ['openid-client and oauth4webapi with Chromium', checkSignIns],
  ['Clips of the transcoder with ffprobe, Chromium and strace', checkClips],
]

/** Schemathesis changes the records that others read. */
const behaviour: readonly Check[] = [['Schemathesis over every operation', () => checkBehaviour(url, records)]]

const dashboard: readonly Check[] = [['What people do on the dashboard, in Chromium with axe', () => checkDashboard()]]

await runInTurn(heavy)
// Both wait much of the time: for browsers, uploads and answers.
await Promise.all([runInTurn(programs), runInTurn(pages)])
await runInTurn(timed)
await Promise.all([runInTurn(behaviour), runInTurn(dashboard)])
// Alone: what runs beside it would slow it down.
await runInTurn([['Lighthouse over the pages, and the keys of an inbox of 10,000', checkBudgets]])

if (process.argv.includes('--keep-screenshots')) {
  keepScreenshots()
  keepScreens()
  keepJourneys()
}
const failed = [...problems.values()].filter((problem) => problem !== null).length
if (failed > 0) console.log(`\nWhat the service logged:\n${service.output().slice(0, LOGGED_CHARACTERS)}`)
console.log()
for (const [what, problem] of problems) console.log(lineOf(what, problem))
console.log(`${problems.size - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Runs checks one after the other; each says at once what became of it, for a run may be cut short. */
async function runInTurn(checks: readonly Check[]): Promise<void> {
  for (const [what, run] of checks) {
    if (only.length > 0 && !only.some((word) => what.includes(word))) continue
    const startedMs = performance.now()
    const problem = await run().catch((error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)))
    problems.set(what, problem)
    console.log(`\n${lineOf(what, problem)} (${Math.round((performance.now() - startedMs) / 1000)} s)\n`)
  }
}

function lineOf(what: string, problem: string | null): string {
  return problem === null ? `passed  ${what}` : `FAILED  ${what}: ${problem}`
}
