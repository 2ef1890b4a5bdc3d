import { checkBehaviour } from './behaviour.ts'
import type { Check } from './check.ts'
import { checkCommandLine } from './command-line.ts'
import { checkDashboard } from './dashboard.ts'
import { checkDocument } from './document.ts'
import { checkMcpSuite } from './mcp-suite.ts'
import { checkReceivers } from './receivers.ts'
import { checkSignIns } from './sign-ins.ts'
import { checkVisitorPages } from './visitor-pages.ts'

/** The core ring: every run takes them. */
export const coreChecks = {
  redocly: {
    name: 'Redocly recommended-strict over the document',
    ...{ lane: 'heavy', seconds: 5 },
    run: ({ url }) => checkDocument(`${url}/api/schema/`),
  },
  commandLine: {
    name: 'The packed command line under Node 20, 22 and 24, and in a terminal',
    ...{ lane: 'heavy', seconds: 60 },
    run: checkCommandLine,
  },
  receivers: {
    name: 'Receivers with Flask, Go and openssl over deliveries',
    ...{ lane: 'programs', seconds: 60 },
    run: ({ openSource }) => checkReceivers(openSource),
  },
  mcpSuite: {
    name: 'The conformance suite of MCP over the server and its authorization',
    ...{ lane: 'programs', seconds: 30 },
    run: checkMcpSuite,
  },
  visitors: {
    name: 'The pages of visitors in Chromium, with axe',
    ...{ lane: 'pages', seconds: 45 },
    run: () => checkVisitorPages('core'),
  },
  signIns: {
    name: 'openid-client and oauth4webapi with Chromium',
    ...{ lane: 'timed', seconds: 15 },
    run: checkSignIns,
  },
  schemathesis: {
    name: 'Schemathesis over every operation',
    ...{ lane: 'behaviour', seconds: 250 },
    run: ({ url, records }) => checkBehaviour(url, records, 'examples'),
  },
  dashboard: {
    name: 'A flow for each page of the dashboard, in Chromium with axe',
    ...{ lane: 'dashboard', seconds: 180 },
    run: () => checkDashboard('core'),
  },
} satisfies Record<string, Check>
