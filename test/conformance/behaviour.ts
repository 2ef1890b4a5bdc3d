import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { createClient } from '@earshot/contracts/client'
import { run } from './command.ts'
import { PythonError, preparePython } from './python.ts'
import type { Records } from './records.ts'

const LIMIT_MS = 1_800_000
/**
 * How much Schemathesis generates: in all its phases a fixed number of examples for each operation, or new ones of fuzzing and stateful
 * testing until their time is up.
 */
const AMOUNTS = {
  examples: ['--max-examples', '2'],
  time: ['--phases', 'fuzzing,stateful', '--max-time', '270'],
} as const

/** Runs all checks of Schemathesis over every operation of the served document. The seed decides what is generated. */
export async function checkBehaviour(url: string, records: Records, amount: keyof typeof AMOUNTS): Promise<string | null> {
  const seed = process.env.CONFORMANCE_SEED ?? String(randomInt(2 ** 32))
  try {
    const programs = await preparePython()
    console.log(`Schemathesis with CONFORMANCE_SEED=${seed}`)
    const { exitCode } = await run(join(programs, 'schemathesis'), argumentsOf(url, seed, amount), {
      environment: { CONFORMANCE_TOKEN: records.token, CONFORMANCE_RECORDS: JSON.stringify(records.forHooks) },
      timeoutMs: LIMIT_MS,
      isShown: true,
    })
    if (exitCode === 0)
      return (await isStillThere(url, records)) ? null : 'the run deleted its own token, team or project; later results prove nothing'
    return exitCode === null ? `did not finish within ${LIMIT_MS / 1000} s` : `found failures; repeat the run with CONFORMANCE_SEED=${seed}`
  } catch (error) {
    if (error instanceof PythonError) return error.message
    throw error
  }
}

/** Checks that the run still has its records: every request may answer 401 or 404, so a run without them would pass. */
async function isStillThere(url: string, { token, forHooks: { team_id, project_id } }: Records): Promise<boolean> {
  const client = createClient({ baseUrl: url, token })
  return client.projects.retrieve({ team_id, project_id }).then(
    () => true,
    () => false,
  )
}

function argumentsOf(url: string, seed: string, amount: keyof typeof AMOUNTS): string[] {
  return [
    ...['--config-file', 'test/conformance/schemathesis.toml', 'run', `${url}/api/schema/`, '--url', url],
    // One worker: a second would delete what the first has just created, and no seed would repeat it.
    ...['--seed', seed, ...AMOUNTS[amount], '--workers', '1', '--generation-database', 'none', '--no-color'],
  ]
}
