import { posix } from 'node:path'

/** The folders that statements are written with. */
const STATEMENTS = ['@earshot/contracts', 'db/src/driver/', 'db/src/sql/', 'db/src/tables/']

/** The layers that server and jobs stand on. */
const LAYERS_BELOW = ['@earshot/contracts', '@earshot/db', '@earshot/drivers']

/**
 * What each folder may import besides its own files and packages from npm: other folders, single files, and workspaces by the names they
 * export. A file belongs to the longest path of the table that holds it: the line of `db/src/` covers the resources, whether they are one
 * file or a folder, and none of the machinery.
 */
const directions: Record<string, readonly string[]> = {
  'contracts/src/': ['contracts/src/schemas/', 'contracts/src/schemas/event-payloads.ts'],
  'contracts/src/schemas/': ['contracts/src/durations.ts', 'contracts/src/limits.ts', 'contracts/src/schemas/event-payloads.ts'],
  // The payloads of events hold records of resources.
  'contracts/src/schemas/event-payloads.ts': ['contracts/src/', 'contracts/src/schemas/'],
  'contracts/src/client/': ['contracts/src/', 'contracts/src/schemas/'],

  'db/src/': STATEMENTS,
  'db/src/driver/': ['@earshot/contracts'],
  'db/src/tables/': ['@earshot/contracts'],
  'db/src/sql/': STATEMENTS,
  'db/src/dispatch/': [...STATEMENTS, 'db/src/'],
  'db/src/maintenance/': [...STATEMENTS, 'db/src/'],
  'db/src/oauth/': [...STATEMENTS, 'db/src/'],
  // A prepared database has its first partitions.
  'db/src/schema/': [...STATEMENTS, 'db/src/maintenance/partitions.ts'],
  'db/src/embedded/': ['db/src/driver/'],

  'drivers/src/index.ts': ['drivers/src/', 'drivers/src/mail/', 'drivers/src/network/', 'drivers/src/storage/', 'drivers/src/transcoder/'],
  'drivers/src/': ['@earshot/contracts'],
  'drivers/src/mail/': ['@earshot/contracts', 'drivers/src/'],
  'drivers/src/network/': ['@earshot/contracts', 'drivers/src/'],
  'drivers/src/storage/': ['@earshot/contracts', 'drivers/src/'],
  'drivers/src/transcoder/': ['@earshot/contracts', 'drivers/src/', 'drivers/src/transcoder/child/'],
  // Runs in a process of its own, which reads files of strangers.
  'drivers/src/transcoder/child/': [],

  // Resources use the pipeline and the caller. The app alone adds the pages, OAuth, the OpenAPI document and observability.
  'server/src/': [...LAYERS_BELOW, '@earshot/db/oauth', 'server/src/auth/', 'server/src/http/'],
  'server/src/app.ts': [
    ...LAYERS_BELOW,
    'server/src/',
    'server/src/auth/',
    'server/src/docs/',
    'server/src/http/',
    'server/src/mcp/',
    'server/src/oauth/',
    'server/src/observability/',
    'server/src/openapi/',
    'server/src/pages/',
    'server/src/web/',
  ],
  'server/src/index.ts': [
    'server/src/',
    'server/src/app.ts',
    'server/src/auth/',
    'server/src/http/',
    'server/src/oauth/',
    'server/src/observability/',
  ],
  'server/src/http/': [...LAYERS_BELOW, '@earshot/contracts/trpc', 'server/src/auth/', 'server/src/services.ts'],
  'server/src/auth/': [...LAYERS_BELOW, 'server/src/services.ts'],
  'server/src/mcp/': [...LAYERS_BELOW, 'server/src/auth/', 'server/src/http/', 'server/src/oauth/paths.ts', 'server/src/oauth/scopes.ts'],
  'server/src/observability/': [...LAYERS_BELOW, '@earshot/db/maintenance', 'server/src/auth/forwarding.ts', 'server/src/http/'],
  // Reads what the OpenAPI document says of errors, without building it.
  'server/src/docs/': [
    '@earshot/contracts',
    'server/src/http/once.ts',
    'server/src/http/representation.ts',
    'server/src/openapi/error-codes.ts',
    'server/src/openapi/tags.ts',
    'server/src/pages/html.ts',
    'server/src/pages/layout.ts',
  ],
  'server/src/openapi/': [
    '@earshot/contracts',
    'server/src/auth/',
    'server/src/http/etag.ts',
    'server/src/http/query.ts',
    'server/src/http/once.ts',
    'server/src/http/representation.ts',
    'server/src/oauth/paths.ts',
    'server/src/oauth/scopes.ts',
  ],
  'server/src/oauth/': [...LAYERS_BELOW, '@earshot/db/oauth', 'server/src/auth/', 'server/src/http/', 'server/src/pages/'],
  // Runs in the preview of a survey, too: what needs a browser's or Node's own is not here. The type of the texts comes from where they are.
  'server/src/web/markup/': [
    '@earshot/contracts',
    '@earshot/contracts/constants',
    '@earshot/web/locales/en.json',
    'server/src/pages/html.ts',
  ],
  // The type of the texts that both render.
  'server/src/web/': [
    ...LAYERS_BELOW,
    '@earshot/web/locales/en.json',
    'server/src/auth/',
    'server/src/http/',
    'server/src/media/images.ts',
    'server/src/pages/',
    'server/src/web/markup/',
  ],
  'server/src/pages/': [...LAYERS_BELOW, 'server/src/', 'server/src/auth/', 'server/src/http/'],

  'jobs/src/': [...LAYERS_BELOW, '@earshot/db/maintenance', '@earshot/db/schema', 'jobs/src/dispatcher/', 'jobs/src/sending/'],
  'jobs/src/dispatcher/': [...LAYERS_BELOW, '@earshot/db/dispatch', 'jobs/src/log.ts', 'jobs/src/sending/'],
  'jobs/src/sending/': [...LAYERS_BELOW, '@earshot/db/dispatch', '@earshot/contracts/webhooks', 'jobs/src/log.ts'],

  'cli/src/': ['@earshot/contracts', '@earshot/contracts/client', '@earshot/contracts/constants', '@earshot/contracts/webhooks'],
  'sdks/typescript/': ['@earshot/contracts', '@earshot/contracts/client', '@earshot/contracts/webhooks'],
  'app/': [
    ...LAYERS_BELOW,
    '@earshot/db/dispatch',
    '@earshot/db/embedded',
    '@earshot/db/maintenance',
    '@earshot/db/oauth',
    '@earshot/db/schema',
    '@earshot/jobs',
    '@earshot/server',
    '@earshot/web/build',
    '@earshot/web/sources',
  ],
  // Pages use the public API alone. What visitors load is small, so each part has its own files.
  // The code that it shows for receivers is that of the tested programs.
  'web/src/dashboard/': [
    '@earshot/contracts',
    '@earshot/contracts/client',
    '@earshot/contracts/constants',
    'examples/',
    'web/src/styles/',
    'web/src/survey-preview/messages.ts',
  ],
  'web/src/visitor/': [
    '@earshot/contracts',
    '@earshot/contracts/client',
    '@earshot/contracts/constants',
    'web/src/locales/',
    'web/src/styles/',
  ],
  // The form of visitors with its own script, from the functions by which the service makes it.
  'web/src/survey-preview/': ['@earshot/contracts', 'server/src/web/markup/', 'web/src/survey-preview/messages.ts', 'web/src/visitor/'],
  'web/src/survey-preview/messages.ts': ['@earshot/contracts'],
  'web/src/embed/': ['@earshot/contracts'],
  'web/src/locales/': [],
  'web/src/styles/': [],
  'examples/': ['@earshot/client/webhooks', '@earshot/contracts', '@earshot/contracts/client', '@earshot/contracts/trpc'],
}

/** Tests and the bench import from every workspace, by path too; nothing imports from them. */
const OUTSIDE = ['test/', 'bench/']

/** contracts runs in a browser: no other package, and nothing of Node. */
const PACKAGES_OF_CONTRACTS = ['zod', 'eventsource-parser']

/** Types alone, which nothing loads. */
const TYPES_OF_CONTRACTS: Record<string, string> = { 'contracts/src/trpc.ts': '@trpc/server' }

/** Returns why `file`, a path from the root of the repository, may not import `specifier`; `undefined` when it may. */
export function refuseImport(file: string, specifier: string): string | undefined {
  const isPath = specifier.startsWith('.')
  if (!isPath && !specifier.startsWith('@earshot/')) return refusePackage(file, specifier)
  const target = isPath ? posix.join(posix.dirname(file), specifier) : specifier
  const own = OUTSIDE.find((folder) => file.startsWith(folder))
  if (OUTSIDE.some((folder) => folder !== own && `${target}/`.replace('@earshot/', '').startsWith(folder))) {
    return 'nothing imports test or bench'
  }
  return own === undefined ? refuseTarget(folderOf(file), target) : undefined
}

function refusePackage(file: string, name: string): string | undefined {
  if (!file.startsWith('contracts/src/') || PACKAGES_OF_CONTRACTS.includes(name) || TYPES_OF_CONTRACTS[file] === name) return undefined
  return `contracts imports no package but ${PACKAGES_OF_CONTRACTS.join(', ')}`
}

function refuseTarget(folder: string, target: string): string | undefined {
  const allowed = directions[folder] ?? []
  if (folderOf(target) === folder || allowed.includes(target) || allowed.includes(folderOf(target))) return undefined
  return `${folder} may import ${allowed.length > 0 ? allowed.join(', ') : 'its own files'}`
}

/** Returns the longest path of the table that holds the file, or the first folder of its path. */
function folderOf(path: string): string {
  const holders = Object.keys(directions).filter((folder) => path.startsWith(folder))
  const [longest = `${path.split('/')[0]}/`] = holders.sort((a, b) => b.length - a.length)
  return longest
}
