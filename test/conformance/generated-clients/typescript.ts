import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../command.ts'
import { installNpm } from '../npm.ts'
import { type Generator, lastLines, pascalCase, textOf } from './generated.ts'

/** openapi-typescript builds its output with the interfaces of TypeScript 5. */
const TOOLS = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', '@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3']

const COMPILER_OPTIONS = {
  ...{ strict: true, noEmit: true, target: 'es2023', module: 'esnext', moduleResolution: 'bundler' },
  ...{ allowImportingTsExtensions: true, lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
}

const WITH_OPENAPI_FETCH = `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

type Schemas = components['schemas']
const client = createClient<paths>({ baseUrl: 'https://feedback.example' })
const path = { team_id: 'a', project_id: 'b' }
const { data, error } = await client.GET('/api/v1/teams/{team_id}/projects/{project_id}/submissions/', { params: { path } })
export const first: Schemas['Submission'] | undefined = data?.results[0]
export const metadata: { [key: string]: unknown } | undefined = first?.metadata
export const code = error?.code
export const selector: Schemas['EventSelector'] = '*'
`

const WITH_HEY_API = `
import type { ErrorCode, EventSelector, MfaRecoveryCodes, Submission } from './client/index.ts'
import { submissionsApprove, submissionsList } from './client/index.ts'

const path = { team_id: 'a', project_id: 'b' }
const { data, error } = await submissionsList({ path, query: { state: 'pending' } })
export const first: Submission | undefined = data?.results[0]
export const approved = first && (await submissionsApprove({ path: { ...path, submission_id: first.id } }))
export const codes: (ErrorCode | undefined)[] = [error?.code]
export const selector: EventSelector = '*'
export type Codes = MfaRecoveryCodes
`

export const generateOpenApiTypescript: Generator = async ({ document, folder, home }) => {
  const problem = await installNpm(home, TOOLS)
  if (problem !== null) return problem
  // Not the repository's own, which is for the linter.
  const settings = join(folder, 'redocly.yaml')
  writeFileSync(settings, '')
  const options = ['--redocly', settings, '--output', join(folder, 'schema.d.ts')]
  const { exitCode, output } = await run(tool(home, 'openapi-typescript'), [document, ...options])
  if (exitCode !== 0) return lastLines(output)
  writeFileSync(join(folder, 'use.ts'), WITH_OPENAPI_FETCH)
  const text = textOf(folder)
  return (await compile(folder)) ?? { text, declares: (id) => new RegExp(`^    ${id}: \\{`, 'm') }
}

export const generateHeyApi: Generator = async ({ document, folder, home }) => {
  const problem = await installNpm(home, TOOLS)
  if (problem !== null) return problem
  const { exitCode, output } = await run(tool(home, 'openapi-ts'), ['--input', document, '--output', join(folder, 'client')])
  if (exitCode !== 0 || /warn/i.test(output)) return lastLines(output)
  const text = textOf(folder)
  writeFileSync(join(folder, 'use.ts'), WITH_HEY_API)
  return (await compile(folder)) ?? { text, declares: (id) => new RegExp(`^export const ${camelCase(id)} = `, 'm') }
}

/** Compiles all files of the folder; resolves to what the compiler says, or null. */
async function compile(folder: string): Promise<string | null> {
  const project = join(folder, 'tsconfig.json')
  writeFileSync(project, JSON.stringify({ compilerOptions: COMPILER_OPTIONS }))
  const { exitCode, output } = await run('tsc', ['--project', project])
  return exitCode === 0 ? null : lastLines(output)
}

function tool(home: string, name: string): string {
  return join(home, 'node_modules/.bin', name)
}

function camelCase(operationId: string): string {
  const name = pascalCase(operationId)
  return name.charAt(0).toLowerCase() + name.slice(1)
}
