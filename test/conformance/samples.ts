import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type PlayedService, playService, refusal } from '../cli/fake-service.ts'
import { documentedOperations, expectedRequest, partsOf, sampleOf } from '../openapi/example-requests.ts'
import { run } from './command.ts'
import { pascalCase } from './generated-clients/generated.ts'

/** Runs a sample after the other. Each is refused, so each sends one request. */
const RUNNER = `import contextlib, pathlib, runpy, sys
from earshot import ApiError

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    with contextlib.suppress(ApiError):
        runpy.run_path(str(path))
        print(path.name, "was not refused")
`
const GO_PACKAGES = [
  'context',
  'fmt',
  'io',
  'log',
  'os',
  'strings',
  'time',
  'example.com/earshot',
  'example.com/earshot/api',
  'github.com/google/uuid',
]

/** Starts a service for the samples in Python, which refuses everything, and writes them to a folder. */
export async function writePythonSamples(folder: string): Promise<PlayedService> {
  const service = await playService(refusal(403, 'insufficient_scope'))
  mkdirSync(folder, { recursive: true })
  for (const found of documentedOperations(service.url)) {
    writeFileSync(join(folder, `${found.named.operationId}.py`), `${sampleOf(found, 'Python')}\n`)
  }
  return service
}

/** Runs the samples in Python, and compares the requests with the recorded ones. Resolves to the problem, or null. */
export async function runPythonSamples(python: string, folder: string, service: PlayedService): Promise<string | null> {
  const { exitCode, output } = await run(python, ['-c', RUNNER, folder], { environment: { EARSHOT_TOKEN: 'svc_sample' } })
  if (exitCode !== 0 || output.trim() !== '') return output.trim().split('\n').slice(-8).join(' | ')
  const operations = documentedOperations(service.url).sort((a, b) => (a.named.operationId < b.named.operationId ? -1 : 1))
  const other = operations.findIndex((found, index) => {
    const request = service.requests[index]
    return request === undefined || !isDeepStrictEqual(withoutDefaults(partsOf(request)), expectedRequest(found))
  })
  if (other === -1 && service.requests.length === operations.length) return null
  const { operationId } = operations[other]?.named ?? {}
  const request = service.requests[other]
  return `${operationId ?? 'a sample'} sent ${JSON.stringify(request && partsOf(request))}, and ${service.requests.length} requests were sent`
}

/** The generated client sends the default of a parameter, and writes times with microseconds. */
function withoutDefaults(parts: ReturnType<typeof partsOf>): ReturnType<typeof partsOf> {
  const withOurTimes: typeof parts = JSON.parse(JSON.stringify(parts).replaceAll(/000\+00:00/g, 'Z'))
  return { ...withOurTimes, query: withOurTimes.query.filter((field) => field !== 'texts_limit=25') }
}

/** Writes the samples in Go as functions of one file. */
export function writeGoSamples(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const functions = documentedOperations('https://feedback.example').map((found) => {
    const body = (sampleOf(found, 'Go') ?? '').replaceAll(/^(?=.)/gm, '\t')
    return `// ${pascalCase(found.named.operationId)} is a sample.\nfunc ${pascalCase(found.named.operationId)}(ctx context.Context) {\n${body}\n}\n`
  })
  const imports = GO_PACKAGES.map((name) => `\t"${name}"\n`).join('')
  writeFileSync(
    join(folder, 'samples.go'),
    `// Package samples holds the samples of the document.\npackage samples\n\nimport (\n${imports})\n\n${functions.join('\n')}`,
  )
}
