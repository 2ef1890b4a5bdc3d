import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { run } from '../command.ts'
import { installNpm } from '../npm.ts'
import { type Generator, lastLines, pascalCase, textOf } from './generated.ts'

/** openapi-typescript builds its output with the interfaces of TypeScript 5. */
const TOOLS = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', '@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3']

const COMPILER_OPTIONS = {
  ...{ strict: true, noEmit: true, target: 'es2023', module: 'esnext', moduleResolution: 'bundler' },
  ...{ allowImportingTsExtensions: true, lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
}

/** What both programs end with. */
const EXPECT = `
function expectSame(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) throw new Error(JSON.stringify(actual) + ' instead of ' + JSON.stringify(expected))
}
`

const WITH_OPENAPI_FETCH = `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

type Schemas = components['schemas']
declare const process: { env: Record<string, string> }
const { EARSHOT_URL: baseUrl = '', EARSHOT_TOKEN = '', EARSHOT_TEAM: team_id = '' } = process.env
const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + EARSHOT_TOKEN } })
const SUBMISSIONS = '/api/v1/teams/{team_id}/projects/{project_id}/submissions/'

const made = await client.POST('/api/v1/teams/{team_id}/projects/', { params: { path: { team_id } }, body: { name: 'Engines ' + Date.now() } })
const path = { team_id, project_id: made.data?.id ?? '' }
for (const name of ['Ada', 'Grace'])
  await client.POST(SUBMISSIONS, { params: { path }, body: { body: 'It saved me a week.', author: { name }, metadata: { name } } })
const names: string[] = []
let oldest: Schemas['Submission'] | undefined
let cursor: string | null | undefined
do {
  const { data } = await client.GET(SUBMISSIONS, { params: { path, query: { limit: 1, state: 'pending', ...(cursor && { cursor }) } } })
  oldest = data?.results[0] ?? oldest
  names.push(...(data?.results ?? []).map(({ author }) => author.name))
  cursor = data?.next_cursor
} while (cursor)
expectSame(names, ['Grace', 'Ada'])
const metadata: { [key: string]: unknown } | undefined = oldest?.metadata
expectSame(metadata, { name: 'Ada' })
const one = { params: { path: { ...path, submission_id: oldest?.id ?? '' } } }
const approved = await client.POST('/api/v1/teams/{team_id}/projects/{project_id}/submissions/{submission_id}/approve/', { ...one, body: {} })
expectSame(approved.data?.state, 'approved')
const reject = '/api/v1/teams/{team_id}/projects/{project_id}/submissions/{submission_id}/reject/'
const refused = await client.POST(reject, { ...one, body: { expected_state: 'pending' } })
const code: Schemas['ErrorCode'] | undefined = refused.error?.code
expectSame([refused.response.status, code], [409, 'state_conflict'])
export const selector: Schemas['EventSelector'] = '*'
${EXPECT}`

const WITH_HEY_API = `
import { client } from './client/client.gen.ts'
import type { ErrorCode, EventSelector, MfaRecoveryCodes, Submission } from './client/index.ts'
import { projectsCreate, submissionsApprove, submissionsCreate, submissionsList, submissionsReject } from './client/index.ts'

declare const process: { env: Record<string, string> }
const { EARSHOT_URL: baseUrl = '', EARSHOT_TOKEN: auth = '', EARSHOT_TEAM: team_id = '' } = process.env
client.setConfig({ baseUrl, auth })

const made = await projectsCreate({ path: { team_id }, body: { name: 'Engines ' + Date.now() } })
const path = { team_id, project_id: made.data?.id ?? '' }
for (const name of ['Ada', 'Grace']) await submissionsCreate({ path, body: { body: 'It saved me a week.', author: { name } } })
const names: string[] = []
let oldest: Submission | undefined
let cursor: string | null | undefined
do {
  const { data } = await submissionsList({ path, query: { limit: 1, state: 'pending', ...(cursor && { cursor }) } })
  oldest = data?.results[0] ?? oldest
  names.push(...(data?.results ?? []).map(({ author }) => author.name))
  cursor = data?.next_cursor
} while (cursor)
expectSame(names, ['Grace', 'Ada'])
const one = { ...path, submission_id: oldest?.id ?? '' }
expectSame((await submissionsApprove({ path: one, body: {} })).data?.state, 'approved')
const refused = await submissionsReject({ path: one, body: { expected_state: 'pending' } })
const code: ErrorCode | undefined = refused.error?.code
expectSame([refused.response?.status, code], [409, 'state_conflict'])
export const selector: EventSelector = '*'
export type Codes = MfaRecoveryCodes
${EXPECT}`

export const generateOpenApiTypescript: Generator = async ({ document, folder, home, environment }) => {
  const problem = await installNpm(home, TOOLS)
  if (problem !== null) return problem
  // Not the repository's own, which is for the linter.
  const settings = join(folder, 'redocly.yaml')
  writeFileSync(settings, '')
  const options = ['--redocly', settings, '--default-non-nullable', 'false', '--output', join(folder, 'schema.d.ts')]
  const { exitCode, output } = await run(tool(home, 'openapi-typescript'), [document, ...options])
  if (exitCode !== 0) return lastLines(output)
  writeFileSync(join(folder, 'use.ts'), WITH_OPENAPI_FETCH)
  const text = textOf(folder)
  return (await compileAndRun(folder, environment)) ?? { text, declares: (id) => new RegExp(`^    ${id}: \\{`, 'm') }
}

export const generateHeyApi: Generator = async ({ document, folder, home, environment }) => {
  const problem = await installNpm(home, TOOLS)
  if (problem !== null) return problem
  const { exitCode, output } = await run(tool(home, 'openapi-ts'), ['--input', document, '--output', join(folder, 'client')])
  if (exitCode !== 0 || /warn/i.test(output)) return lastLines(output)
  const text = textOf(folder)
  writeFileSync(join(folder, 'use.ts'), WITH_HEY_API)
  return (await compileAndRun(folder, environment)) ?? { text, declares: (id) => new RegExp(`^export const ${camelCase(id)} = `, 'm') }
}

/** Compiles all files of the folder and takes the tour with them; resolves to what went wrong, or null. */
async function compileAndRun(folder: string, environment: Record<string, string>): Promise<string | null> {
  const project = join(folder, 'tsconfig.json')
  writeFileSync(project, JSON.stringify({ compilerOptions: COMPILER_OPTIONS }))
  const compiled = await run('tsc', ['--project', project])
  if (compiled.exitCode !== 0) return lastLines(compiled.output)
  const outfile = join(folder, 'use.mjs')
  await build({ entryPoints: [join(folder, 'use.ts')], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' })
  const { exitCode, output } = await run(process.execPath, [outfile], { environment })
  return exitCode === 0 ? null : `the tour: ${lastLines(output)}`
}

function tool(home: string, name: string): string {
  return join(home, 'node_modules/.bin', name)
}

function camelCase(operationId: string): string {
  const name = pascalCase(operationId)
  return name.charAt(0).toLowerCase() + name.slice(1)
}
