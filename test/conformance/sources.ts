import type { WideId } from './wide-checks.ts'

/** Checks that a change concerns; `all` of them, if nobody has said which. */
export type Concerned = readonly WideId[] | 'all'

const DASHBOARD = ['dashboardWords', 'dashboardSurveys', 'dashboardTeam', 'dashboardKeys'] as const
const PAGES = [...DASHBOARD, 'visitors', 'embed', 'accountPages', 'journeys', 'otherBrowsers', 'observatory', 'budgets'] as const
const CLIENTS = ['generatedClients', 'clientPackage', 'pythonPackage', 'goModule'] as const
/** They read the document, or call what it says. */
const DOCUMENT = [...CLIENTS, 'schemathesis', 'inspector', 'referencePages'] as const
const DELIVERIES = ['durability', 'faultReceivers', 'databaseAway', 'livingWorkers', 'connectLimit'] as const
const FAULTS = [...DELIVERIES, 'rollingUpgrade', 'schemaChanges', 'importKill', 'uploadCuts'] as const
const SIGN_IN = ['accountPages', 'observatory', 'journeys', 'otherBrowsers', 'dashboardKeys'] as const
const LOADED = ['faultReceivers', 'databaseAway', 'livingWorkers'] as const

/**
 * The checks of the wide ring that depend on each folder or file of the repository. The longest name counts. What the core ring or the
 * tests cover has none. What has no entry here concerns all of them.
 */
export const SOURCES: Readonly<Record<string, Concerned>> = {
  web: PAGES,
  'web/src/dashboard': [...DASHBOARD, 'journeys', 'otherBrowsers', 'budgets'],
  'web/src/visitor': ['visitors', 'journeys', 'otherBrowsers', 'budgets'],
  'web/src/embed': ['embed', 'otherBrowsers', 'dashboardSurveys'],
  'web/src/survey-preview': ['dashboardSurveys'],

  contracts: [...DOCUMENT, ...PAGES, 'published', 'shells', 'slackMessages'],
  'contracts/src/client': ['clientPackage', 'storage', 'dashboardSurveys'],

  server: [...DOCUMENT, ...DASHBOARD, 'accountPages', 'embed', 'journeys'],
  'server/src/auth': SIGN_IN,
  'server/src/docs': ['referencePages', 'observatory'],
  'server/src/http': [...DOCUMENT, 'journeys', 'dashboardKeys'],
  'server/src/imports': ['importKill', 'journeys', 'dashboardTeam'],
  'server/src/mcp': ['inspector'],
  'server/src/media': ['storage', 'embed', 'dashboardSurveys'],
  'server/src/oauth': SIGN_IN,
  'server/src/observability': ['databaseAway', 'pooler'],
  'server/src/pages': [...SIGN_IN, 'visitors'],
  'server/src/submissions': [...DOCUMENT, 'journeys', 'dashboardWords', 'embed'],
  'server/src/uploads': ['storage', 'uploadCuts', 'visitors', 'dashboardSurveys'],
  'server/src/videos': ['storage', 'visitors', 'dashboardSurveys'],
  'server/src/web': PAGES,
  'server/src/webhooks': [...DELIVERIES, 'slackMessages', 'dashboardTeam', 'journeys'],

  db: [...FAULTS, 'accountPages', 'pooler', 'storage', 'journeys'],
  'db/src/analytics': ['dashboardSurveys', 'journeys'],
  'db/src/dispatch': [...DELIVERIES, 'pooler'],
  'db/src/images': ['embed', 'dashboardSurveys'],
  'db/src/imports': ['importKill', 'dashboardTeam', 'journeys'],
  'db/src/invitations': ['dashboardTeam', 'journeys'],
  'db/src/notifications': ['journeys'],
  'db/src/oauth': SIGN_IN,
  'db/src/privacy': ['dashboardTeam'],
  'db/src/search': ['dashboardWords'],
  'db/src/surveys': ['dashboardSurveys', 'journeys', 'visitors'],
  'db/src/videos': ['storage', 'uploadCuts', 'visitors', 'dashboardSurveys'],

  drivers: ['connectLimit', 'faultReceivers', 'storage', 'clips', 'journeys'],
  'drivers/src/mail': ['journeys'],
  'drivers/src/network': ['connectLimit', 'faultReceivers', 'pooler'],
  'drivers/src/storage': ['storage', 'uploadCuts'],
  'drivers/src/transcoder': ['clips', 'dashboardSurveys', 'visitors'],

  jobs: [...FAULTS, 'pooler'],
  'jobs/src/dispatcher': [...DELIVERIES, 'pooler'],
  'jobs/src/images': ['embed', 'dashboardSurveys'],
  'jobs/src/imports': ['importKill', 'dashboardTeam', 'journeys'],
  'jobs/src/sending': [...DELIVERIES, 'slackMessages'],
  'jobs/src/transcoding': ['clips', 'visitors', 'dashboardSurveys'],

  app: [...FAULTS, 'pooler', 'journeys', 'budgets'],
  'app/admin': ['journeys'],
  'app/build.ts': 'all',
  'app/demo': ['budgets'],

  cli: ['shells'],
  'sdks/typescript': ['clientPackage'],
  'sdks/python': ['pythonPackage'],
  'sdks/go': ['goModule'],
  ...Object.fromEntries(['.ci', 'bench', 'docs', 'examples'].map((folder) => [folder, []])),
  ...Object.fromEntries(['.editorconfig', '.gitattributes', '.gitignore', 'LICENSE', 'biome.json', 'knip.json'].map((file) => [file, []])),
  ...Object.fromEntries(['import-directions.ts', 'redocly.yaml', 'vitest.config.ts'].map((file) => [file, []])),
  ...Object.fromEntries(['ARCHITECTURE', 'CHANGELOG', 'CONTRIBUTING', 'README', 'SECURITY'].map((name) => [`${name}.md`, []])),

  test: [],
  'test/cli/fake-service.ts': ['pythonPackage'],
  'test/drivers': ['clips', 'storage'],
  'test/fault/durability': ['durability'],
  'test/fault/durability.test.ts': ['durability'],
  'test/fault/receivers.test.ts': ['faultReceivers'],
  'test/fault/database-away.test.ts': ['databaseAway'],
  'test/fault/living-workers.test.ts': ['livingWorkers'],
  'test/fault/rolling-upgrade.test.ts': ['rollingUpgrade'],
  'test/fault/schema-changes.test.ts': ['schemaChanges'],
  'test/fault/import-kill.test.ts': ['importKill'],
  'test/fault/upload-cuts.test.ts': ['uploadCuts'],
  'test/fault/load.ts': LOADED,
  'test/fixtures': ['dashboardTeam', 'journeys'],
  'test/jobs': ['connectLimit'],
  'test/openapi': ['pythonPackage', 'goModule'],
  'test/receivers': ['published'],
  'test/support': 'all',

  'test/conformance': 'all',
  'test/conformance/budgets': ['budgets'],
  'test/conformance/client-package': ['clientPackage'],
  'test/conformance/command-line': [],
  'test/conformance/dashboard': [...DASHBOARD, 'accountPages', 'visitors'],
  'test/conformance/generated-clients': ['generatedClients', 'goModule'],
  'test/conformance/journeys': ['journeys'],
  'test/conformance/mcp': ['inspector'],
  'test/conformance/other-browsers': ['otherBrowsers'],
  'test/conformance/standard-webhooks': [],
}

/** Returns the entry that counts for a changed file, or its folder where nobody has said what it concerns. */
export function sourceOf(path: string): { folder: string; concerned: Concerned } {
  const parts = path.split('/')
  for (let length = parts.length; length > 0; length -= 1) {
    const folder = parts.slice(0, length).join('/')
    const concerned = SOURCES[folder]
    if (concerned !== undefined) return { folder, concerned }
  }
  return { folder: parts.slice(0, -1).join('/') || path, concerned: 'all' }
}
