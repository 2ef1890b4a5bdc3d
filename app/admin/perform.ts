import { ApiError } from '@earshot/contracts'
import { type Database, openDatabase } from '@earshot/db'
import { prepareDatabase } from '@earshot/db/schema'
import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { explainStartFailure } from '../start-failure.ts'
import { joinStore, type Store } from '../store.ts'

const EXIT_REFUSED = 1

/** The printed result: a name and its value on each line, or JSON. */
type Result = Record<string, unknown>

/** The work of a command. */
export type Work = (database: Database, config: Config, store: Store) => Promise<Result | Result[]>

/** The option of every command: its flag and description. */
export const JSON_OPTION = ['--json', 'print JSON'] as const

/** Adds a command to a noun. */
export function verb(noun: Command, name: string, description: string): Command {
  return noun
    .command(name)
    .description(description)
    .option(...JSON_OPTION)
}

/** Opens the store, does the work and prints the result. An error that the operator can fix is printed as one line. */
export async function perform(work: Work): Promise<void> {
  let config: Config | null = null
  try {
    config = readConfig()
    print(await withDatabase(config, work))
  } catch (error) {
    explain(error, config)
  }
}

async function withDatabase(config: Config, work: Work): Promise<Result | Result[]> {
  const store = await joinStore(config, () => {})
  try {
    await prepareDatabase(store.address)
    const database = openDatabase({ address: store.address, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot admin' })
    try {
      return await work(database, config, store)
    } finally {
      await database.close()
    }
  } finally {
    await store.close()
  }
}

function print(result: Result | Result[]): void {
  if (process.argv.includes('--json')) console.log(JSON.stringify(result))
  else if (!Array.isArray(result)) console.log(linesOf(result))
  else console.log(result.length === 0 ? 'Nothing found.' : result.map(linesOf).join('\n\n'))
}

function linesOf(result: Result): string {
  const width = Math.max(...Object.keys(result).map((key) => key.length))
  const line = ([key, value]: [string, unknown]) =>
    `${key.padEnd(width)}  ${textOf(value)
      .trimEnd()
      .replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`
  return Object.entries(result).map(line).join('\n')
}

function textOf(value: unknown): string {
  if (value === null) return '–'
  return Array.isArray(value) ? value.join(', ') : String(value)
}

function explain(error: unknown, config: Config | null): void {
  const isRefusal = error instanceof ApiError && error.status < 500
  const failure = isRefusal ? { line: refusalLine(error), exitCode: EXIT_REFUSED } : explainStartFailure(error, config)
  if (!failure) throw error
  console.error(failure.line)
  process.exitCode = failure.exitCode
}

function refusalLine({ code, message }: ApiError): string {
  return code === 'not_found' ? 'User, team or application not found.' : message
}
