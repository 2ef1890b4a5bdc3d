import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contracts } from '@earshot/contracts'
import { build } from 'rolldown'
import ts from 'typescript'
import { clientTypes } from './client-types.ts'
import { modelTypes } from './model-types.ts'

const { dirname: HERE } = import.meta
const TOP = join(HERE, '../..')
/** `dist`, or the folder that the command line names. */
const DIST = process.argv[2] ?? join(HERE, 'dist')
const CONTRACTS = join(TOP, 'contracts/src')
const CLIENT = join(CONTRACTS, 'client')
const DOCUMENT = join(TOP, 'test/openapi/snapshots/openapi.json')

/** Sources of the client whose declarations are part of the package. */
const DECLARED = ['options', 'errors', 'upload', 'upload-video', 'tus']

/** What stands in the package for the models that the client's sources take from the contracts. */
const CLIENT_MODELS = `import type { ErrorCode, FieldError, Import, VideosReserveRequest } from './models.js'
import type { InputOf, OutputOf } from './client.js'

export type { ErrorCode, FieldError, Import }
${interfaceOf('ErrorBody', 'errors.ts')}
export type ReservedImport = Pick<OutputOf<'imports_create'>, 'upload'>
export type ReserveInput = Pick<InputOf<'videos_reserve'>, 'team_id' | 'project_id'> & VideosReserveRequest
export type ReservedVideo = OutputOf<'videos_reserve'>
export type CompleteInput = InputOf<'videos_complete'>
export type Video = OutputOf<'videos_complete'>
`

const INDEX = `export { type Client, createClient, type InputOf, type OutputOf } from './client.js'
export { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from './errors.js'
export type * from './options.js'
export type { ErrorBody } from './client-models.js'
export type * from './models.js'
`

const UPLOADS = `export { uploadImportFile } from './upload.js'
export { uploadVideoFile } from './upload-video.js'
export type * from './options.js'
`

const WEBHOOKS = `export { verifyWebhook, WebhookVerificationError } from './webhook-signature.js'
export type { VerifyOptions, WebhookEvent, WebhookHeaders, WebhookVerificationCode } from './webhook-signature.js'
`

rmSync(DIST, { recursive: true, force: true })
mkdirSync(DIST, { recursive: true })
await bundle()
await writeTypes()
writeManifest()

/** Bundles the client into the file that every program loads, and those of streams, exports and uploads. */
async function bundle(): Promise<void> {
  await build({
    input: Object.fromEntries(['index', 'uploads', 'webhooks'].map((name) => [name, join(HERE, `src/${name}.ts`)])),
    platform: 'neutral',
    resolve: { conditionNames: ['import', 'default'] },
    treeshake: { moduleSideEffects: false },
    output: { dir: DIST, format: 'esm', minify: true, entryFileNames: '[name].js', chunkFileNames: '[name].js' },
  })
}

async function writeTypes(): Promise<void> {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
  const files = {
    index: INDEX,
    client: clientTypes(contracts, document),
    'client-models': CLIENT_MODELS,
    models: await modelTypes(document),
    uploads: UPLOADS,
    webhooks: WEBHOOKS,
    'webhook-signature': declarationsOf(join(CONTRACTS, 'webhook-signature.ts')),
    ...Object.fromEntries(DECLARED.map((name) => [name, declarationsOf(join(CLIENT, `${name}.ts`))])),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(DIST, `${name}.d.ts`), text)
}

/** Returns the declarations of a source, with the models of the package. */
function declarationsOf(path: string): string {
  const { outputText } = ts.transpileDeclaration(readFileSync(path, 'utf8'), {})
  return outputText
    .replaceAll("'./models.ts'", "'./client-models.js'")
    .replaceAll("'./schemas/event-payloads.ts'", "'./models.js'")
    .replaceAll(/'\.\/([\w-]+)\.ts'/g, "'./$1.js'")
}

/** Returns an interface of the contracts as it is written there, with its comments. */
function interfaceOf(name: string, file: string): string {
  const source = ts.createSourceFile(file, readFileSync(join(CONTRACTS, file), 'utf8'), ts.ScriptTarget.Latest)
  const found = source.statements.find((statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name)
  if (!found) throw new Error(`${file} has no interface ${name}.`)
  return found.getFullText(source).trim()
}

/** Turns `dist` into a package: `npm publish sdks/typescript/dist`. */
function writeManifest(): void {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
  const {
    private: _private,
    scripts: _scripts,
    dependencies: _bundled,
    devDependencies: _tools,
    exports: sources,
    ...manifest
  } = read(join(HERE, 'package.json'))
  const exports = Object.keys(sources).map((name) => {
    const file = `./${name === '.' ? 'index' : name.slice(2)}`
    return [name, { types: `${file}.d.ts`, default: `${file}.js` }]
  })
  const published = { ...manifest, sideEffects: false, exports: Object.fromEntries(exports) }
  writeFileSync(join(DIST, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  copyFileSync(join(HERE, 'README.md'), join(DIST, 'README.md'))
  copyFileSync(join(TOP, 'LICENSE'), join(DIST, 'LICENSE'))
  copyFileSync(join(TOP, 'node_modules/eventsource-parser/LICENSE'), join(DIST, 'LICENSE-eventsource-parser'))
}
