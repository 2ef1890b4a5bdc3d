import { checkAccountPages } from './account-pages.ts'
import { checkBehaviour } from './behaviour.ts'
import { checkBudgets } from './budgets.ts'
import type { WideCheck } from './check.ts'
import { checkClientPackage } from './client-package.ts'
import { checkClips } from './clips.ts'
import { checkDashboard } from './dashboard.ts'
import { checkEmbed } from './embed.ts'
import { checkFaults } from './faults.ts'
import { checkGeneratedClients } from './generated-clients.ts'
import { checkGoModule } from './go-module.ts'
import { checkJourneys } from './journeys.ts'
import { checkMcp } from './mcp.ts'
import { checkOtherBrowsers } from './other-browsers.ts'
import { checkPages } from './pages.ts'
import { checkPooler } from './pooler.ts'
import { checkPublished } from './published.ts'
import { checkPythonPackage } from './python-package.ts'
import { checkReferencePages } from './reference-pages.ts'
import { checkShells } from './shells.ts'
import { checkSlackMessages } from './slack-messages.ts'
import { checkStorage } from './storage.ts'
import { checkVisitorPages } from './visitor-pages.ts'

/** The wide ring: each run takes those of its quarter, and those whose sources changed. */
export const wideChecks = {
  generatedClients: {
    name: 'Clients generated in TypeScript, Python and Go',
    ...{ quarter: 2, lane: 'heavy', seconds: 120 },
    run: async ({ makeTourist }) => checkGeneratedClients(await makeTourist()),
  },
  clientPackage: {
    name: '@earshot/client as published, in Node 20, Bun, Deno and Chromium',
    ...{ quarter: 2, lane: 'heavy', seconds: 50 },
    run: async ({ makeTourist }) => checkClientPackage(await makeTourist()),
  },
  pythonPackage: {
    name: 'The Python package, which takes the tour',
    ...{ quarter: 2, lane: 'heavy', seconds: 70 },
    run: async ({ makeTourist }) => checkPythonPackage(await makeTourist()),
  },
  goModule: {
    name: 'The Go module, which takes the tour',
    ...{ quarter: 2, lane: 'heavy', seconds: 40 },
    run: async ({ makeTourist }) => checkGoModule(await makeTourist()),
  },
  published: {
    name: 'verifyWebhook as published, in Chromium',
    ...{ quarter: 2, lane: 'heavy', seconds: 15 },
    run: ({ openSource }) => checkPublished(openSource),
  },
  observatory: {
    name: 'MDN HTTP Observatory over the pages',
    ...{ quarter: 3, lane: 'programs', seconds: 15 },
    run: ({ url, environment }) => checkPages(url, environment),
  },
  slackMessages: {
    name: "Messages for Slack by Slack's SDK",
    ...{ quarter: 3, lane: 'programs', seconds: 5 },
    run: checkSlackMessages,
  },
  inspector: {
    name: 'MCP Inspector over tools, prompts and resources, in both eras',
    ...{ quarter: 3, lane: 'programs', seconds: 90 },
    run: ({ place }) => checkMcp(place),
  },
  shells: {
    name: 'earshot completion in bash, zsh and fish',
    ...{ quarter: 3, lane: 'programs', seconds: 25 },
    run: ({ place }) => checkShells(place),
  },
  pooler: {
    name: 'PgBouncer in session mode, and refused in others',
    ...{ quarter: 3, lane: 'programs', seconds: 25 },
    run: checkPooler,
  },
  storage: {
    name: 'The blob store over S3, with versitygw, and uploads by tus-py-client and Chromium',
    ...{ quarter: 1, lane: 'programs', seconds: 100 },
    run: checkStorage,
  },
  visitors: {
    name: 'Visitors who lose their connection, record, choose files and use keys alone, in Chromium with axe',
    ...{ quarter: 3, lane: 'pages', seconds: 130 },
    run: () => checkVisitorPages('others'),
  },
  referencePages: {
    name: 'Guide and samples in Swagger UI and Redoc, in Chromium',
    ...{ quarter: 3, lane: 'pages', seconds: 15 },
    run: ({ url }) => checkReferencePages(url),
  },
  embed: {
    name: 'Walls, badges and forms embedded in pages of another origin, in Chromium with axe-core',
    ...{ quarter: 1, lane: 'pages', seconds: 70 },
    run: checkEmbed,
  },
  accountPages: {
    name: 'The pages of the account, sign-in and OAuth in Chromium, with axe',
    ...{ quarter: 3, lane: 'pages', seconds: 60 },
    run: () => checkAccountPages(),
  },
  journeys: {
    name: 'Five journeys of users, from their first page to their last, in Chromium',
    ...{ quarter: 2, lane: 'timed', seconds: 90 },
    run: () => checkJourneys(),
  },
  otherBrowsers: {
    name: 'The main pages in Firefox and WebKitGTK',
    ...{ quarter: 3, lane: 'timed', seconds: 150 },
    run: () => checkOtherBrowsers(),
  },
  clips: {
    name: 'Clips of the transcoder with ffprobe, Chromium and strace',
    ...{ quarter: 3, lane: 'timed', seconds: 60 },
    run: checkClips,
  },
  schemathesis: {
    name: 'Schemathesis until its time is up, fuzzing and stateful',
    ...{ quarter: 3, lane: 'behaviour', seconds: 280 },
    run: ({ url, records }) => checkBehaviour(url, records, 'time'),
  },
  dashboardWords: {
    name: 'All flows with words on the dashboard, in Chromium with axe',
    ...{ quarter: 1, lane: 'dashboard', seconds: 200 },
    run: () => checkDashboard('words'),
  },
  dashboardSurveys: {
    name: 'All flows with surveys, widgets, pictures and videos on the dashboard, in Chromium with axe',
    ...{ quarter: 2, lane: 'dashboard', seconds: 200 },
    run: () => checkDashboard('surveys'),
  },
  dashboardTeam: {
    name: 'All flows with a team, its webhooks and imports on the dashboard, in Chromium with axe',
    ...{ quarter: 0, lane: 'dashboard', seconds: 200 },
    run: () => checkDashboard('team'),
  },
  dashboardKeys: {
    name: 'All flows by keys alone, with bad input and bad networks on the dashboard, in Chromium with axe',
    ...{ quarter: 3, lane: 'dashboard', seconds: 200 },
    run: () => checkDashboard('keys'),
  },
  durability: longForm('test/fault/durability.test.ts', { quarter: 0, lane: 'faults', seconds: 600 }),
  faultReceivers: longForm('test/fault/receivers.test.ts', { quarter: 1, lane: 'more faults', seconds: 60 }),
  databaseAway: longForm('test/fault/database-away.test.ts', { quarter: 1, lane: 'more faults', seconds: 100 }),
  livingWorkers: longForm('test/fault/living-workers.test.ts', { quarter: 1, lane: 'more faults', seconds: 90 }),
  rollingUpgrade: longForm('test/fault/rolling-upgrade.test.ts', { quarter: 1, lane: 'more faults', seconds: 150 }),
  schemaChanges: longForm('test/fault/schema-changes.test.ts', { quarter: 0, lane: 'more faults', seconds: 620 }),
  importKill: longForm('test/fault/import-kill.test.ts', { quarter: 1, lane: 'faults', seconds: 500 }),
  uploadCuts: longForm('test/fault/upload-cuts.test.ts', { quarter: 2, lane: 'faults', seconds: 250 }),
  connectLimit: longForm('test/jobs/connect-limit.test.ts', { quarter: 2, lane: 'more faults', seconds: 60 }),
  budgets: {
    name: 'Lighthouse over the pages, and the keys of an inbox of 10,000',
    ...{ quarter: 3, lane: 'alone', seconds: 120 },
    run: checkBudgets,
  },
} satisfies Record<string, WideCheck>

export type WideId = keyof typeof wideChecks

/** A test file in the form that takes minutes. `npm run test:fault:long` runs all of them. */
function longForm(file: string, place: Pick<WideCheck, 'quarter' | 'lane' | 'seconds'>): WideCheck {
  return { name: `The long form of ${file}`, ...place, run: () => checkFaults(file) }
}
