import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from './command.ts'
import { type Generated, type Generator, missingFrom } from './generated-clients/generated.ts'
import { generateGo } from './generated-clients/go.ts'
import { generatePython } from './generated-clients/python.ts'
import { generateHeyApi, generateOpenApiTypescript } from './generated-clients/typescript.ts'
import type { Tourist } from './tourist.ts'

const HOME = join(TOP, '.conformance/clients')

const generators: Record<string, Generator> = {
  'openapi-typescript': generateOpenApiTypescript,
  '@hey-api/openapi-ts': generateHeyApi,
  'openapi-python-client': generatePython,
  'oapi-codegen': generateGo,
}

/**
 * Generates clients of the served document, and compiles them as they are: nothing is edited by hand, no operation is left out,
 * and nothing has a name that a generator made up. Resolves to the problems, or null.
 */
export async function checkGeneratedClients({ url, environment }: Tourist): Promise<string | null> {
  const text = await (await fetch(`${url}/api/schema/`)).text()
  mkdirSync(HOME, { recursive: true })
  const document = join(HOME, 'openapi.json')
  writeFileSync(document, text)
  const operationIds = [...text.matchAll(/"operationId":"(\w+)"/g)].map(([, id = '']) => id).filter((id) => !id.startsWith('on_'))
  const problems: string[] = []
  for (const [name, generate] of Object.entries(generators)) {
    const startedMs = performance.now()
    const folder = join(HOME, name.replaceAll(/\W+/g, '-'))
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const generated = await generate({ document, folder, home: HOME, environment }).catch(asProblem)
    const problem = typeof generated === 'string' ? generated : problemOf(generated, operationIds)
    if (problem !== null) problems.push(`${name}: ${problem}`)
    console.log(`${name}: ${operationIds.length} operations in ${Math.round((performance.now() - startedMs) / 1000)} s`)
  }
  return problems.length === 0 ? null : problems.join('; ')
}

function problemOf(generated: Generated, operationIds: readonly string[]): string | null {
  const missing = missingFrom(generated, operationIds)
  if (missing.length > 0) return `without ${missing.join(', ')}`
  return /inline_?response/i.test(generated.text) ? 'a response has no name' : null
}

function asProblem(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
