import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PlayedService, playService, refusal } from '../cli/fake-service.ts'
import { documentedOperations, expectedRequest, partsOf, sampleOf } from '../openapi/example-requests.ts'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))

let project: InstalledPackage
let service: PlayedService
beforeAll(async () => {
  project = await installPackage('sdks/typescript')
  service = await playService(refusal(403, 'insufficient_scope'))
}, 120_000)
afterAll(async () => {
  project?.[Symbol.dispose]()
  await service?.[Symbol.asyncDispose]()
})

test('the samples in TypeScript compile with the package, and send the recorded requests', async () => {
  const operations = documentedOperations(service.url)
  const files = operations.map(({ named }) => `${named.operationId}.ts`)
  for (const [index, found] of operations.entries()) project.write(files[index] ?? '', sampleOf(found, 'TypeScript') ?? '')
  project.write('process.d.ts', 'declare const process: { env: Record<string, string | undefined> }\n')
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'nodenext',
    types: [],
    lib: ['es2023', 'dom', 'dom.asynciterable'],
  }
  project.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['process.d.ts', ...files] }))
  expect(await project.run(TSC, '--project', 'tsconfig.json')).toBe('')

  project.write(
    'run.js',
    `process.env.EARSHOT_TOKEN = 'svc_sample'
     for (const file of ${JSON.stringify(files)}) {
       await import('./' + file).then(() => console.log(file, 'was not refused'), ({ name, code }) => console.log(file, name, code))
     }`,
  )
  const lines = (await project.run(process.execPath, '--disable-warning=ExperimentalWarning', 'run.js')).trim().split('\n')
  expect(lines).toEqual(files.map((file) => `${file} EarshotApiError insufficient_scope`))
  expect(service.requests.map(partsOf)).toEqual(operations.map(expectedRequest))
}, 120_000)
