import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from './command.ts'
import { installGenerator } from './generated-clients/go.ts'
import { GoError, runGo, runWithGo } from './go.ts'
import { writeGoSamples } from './samples.ts'
import type { Tourist } from './tourist.ts'

const SOURCE = join(TOP, 'sdks/go')
/** A copy, so that the sources stay without generated code. */
const FOLDER = join(TOP, '.conformance/go-module')
const PROGRAM = /^```go\n(?<code>[\s\S]*?)^```$/m

/**
 * Generates the Go module with its documented settings from the document that the service serves, vets and tests it with the program
 * of its README and the samples of the document, and takes the tour with it. Resolves to the problem, or null.
 */
export async function checkGoModule({ url, environment }: Tourist): Promise<string | null> {
  try {
    const generator = await installGenerator()
    copySources()
    writeFileSync(join(FOLDER, 'openapi.json'), await (await fetch(`${url}/api/schema/`)).text())
    const made = await runWithGo('env', ['-C', FOLDER, generator, '-config', 'oapi-codegen.yaml', 'openapi.json'])
    if (made.exitCode !== 0 || made.output.trim() !== '') return `oapi-codegen: ${made.output.trim()}`
    for (const args of [
      ['vet', './...'],
      ['test', '.'],
      ['run', './tour'],
    ]) {
      const problem = await runGo(FOLDER, args, environment)
      if (problem !== null) return problem
    }
    console.log('Go module: vetted, tested, and the tour taken')
    return null
  } catch (error) {
    if (error instanceof GoError) return error.message
    throw error
  }
}

function copySources(): void {
  rmSync(FOLDER, { recursive: true, force: true })
  cpSync(SOURCE, FOLDER, { recursive: true, filter: (path) => !/\.gen\.go$|openapi\.json$/.test(path) })
  const program = PROGRAM.exec(readFileSync(join(SOURCE, 'README.md'), 'utf8'))?.groups?.code
  if (program === undefined) throw new Error('The README of the Go module has no program')
  writeGoSamples(join(FOLDER, 'samples'))
  mkdirSync(join(FOLDER, 'readme'))
  writeFileSync(join(FOLDER, 'readme/main.go'), program)
}
