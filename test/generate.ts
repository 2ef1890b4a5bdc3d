import { readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { CLI_SCHEMAS_PATH, CLI_SUMMARIES_PATH, cliSchemas, cliSummaries } from './cli/generated-schemas.ts'
import {
  CLIENT_OPERATIONS_PATH,
  clientOperations,
  ERROR_STATUSES_PATH,
  errorStatuses,
  PYTHON_STATUSES_PATH,
  pythonStatuses,
} from './client/generated-operations.ts'
import { FUNCTIONS_VERSION_PATH, functionsVersion } from './db/functions-version.ts'
import { documentSnapshot, RELEASED_PATH, SNAPSHOT_PATH } from './openapi/snapshot.ts'

/** Files that are made from the sources and committed, by their place from the top. */
const GENERATED = [
  { path: SNAPSHOT_PATH, text: documentSnapshot() },
  { path: FUNCTIONS_VERSION_PATH, text: await functionsVersion() },
  { path: CLIENT_OPERATIONS_PATH, text: clientOperations() },
  { path: ERROR_STATUSES_PATH, text: errorStatuses() },
  { path: CLI_SUMMARIES_PATH, text: cliSummaries() },
  { path: CLI_SCHEMAS_PATH, text: cliSchemas() },
  { path: PYTHON_STATUSES_PATH, text: pythonStatuses() },
]

/** Writes them anew; with `--check` it only says which ones are stale, and fails. `--release` promises the document to clients. */
function generate(isCheck: boolean): void {
  const stale = GENERATED.filter(({ path, text }) => text !== read(path))
  if (!isCheck) for (const { path, text } of stale) writeFileSync(fromTop(path), text)
  for (const { path } of stale) console.log(isCheck ? `${path} is stale: run "npm run generate" and commit it` : `wrote ${path}`)
  if (isCheck && stale.length > 0) process.exitCode = 1
}

function read(path: string): string | null {
  try {
    return readFileSync(fromTop(path), 'utf8')
  } catch {
    return null
  }
}

function fromTop(path: string): URL {
  return new URL(`../${path}`, import.meta.url)
}

generate(argv.includes('--check'))
if (argv.includes('--release')) writeFileSync(fromTop(RELEASED_PATH), documentSnapshot())
