import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { plans } from '@earshot/contracts'
import { readFunctionFiles, sha256Of } from '../../db/src/schema/migration-files.ts'

/** The committed version of the SQL functions, from the top of the repository. */
export const FUNCTIONS_VERSION_PATH = 'db/functions/version.json'

const TOP = new URL('../..', import.meta.url)
const FUNCTIONS = fileURLToPath(new URL('db/functions/', TOP))
/** In a merge that has a conflict here, the file holds two. */
const VERSIONS = /"version": (\d+)/g

/** The version as it is committed: one more than before when the functions or the plans, which start with them, changed. */
export async function functionsVersion(): Promise<string> {
  const committed = readFileSync(new URL(FUNCTIONS_VERSION_PATH, TOP), 'utf8')
  const last = Math.max(0, ...[...committed.matchAll(VERSIONS)].map(([, number]) => Number(number)))
  const { sha256 } = await readFunctionFiles(FUNCTIONS)
  const stamp = (version: number) => `${JSON.stringify({ version, functions: sha256, plans: sha256Of(JSON.stringify(plans)) }, null, 2)}\n`
  return committed === stamp(last) ? committed : stamp(last + 1)
}
