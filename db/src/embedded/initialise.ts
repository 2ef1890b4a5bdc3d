import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { giveTo } from './account.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedPostgresError } from './errors.ts'
import { findFailureReason } from './failure-reason.ts'
import type { House } from './server-files.ts'
import { SERVER_ENVIRONMENT } from './settings.ts'

const MAJOR_VERSION = '18'

/** The server's superuser, the only role that logs in. */
export const LOGIN_ROLE = 'earshot'

const run = promisify(execFile)

/** Makes the cluster on the first start; checks on every later one that this PostgreSQL can read it. */
export async function initialiseCluster(house: House, binaries: Binaries): Promise<void> {
  if (existsSync(house.data)) return checkVersion(house)
  writePassword(house)
  // Built beside its place and renamed, so that a start cut short leaves no half a cluster.
  const partial = `${house.data}.partial`
  rmSync(partial, { recursive: true, force: true })
  await runInitdb(house, binaries, partial)
  renameSync(partial, house.data)
  syncDirectory(house.directory)
}

function checkVersion({ data }: House): void {
  const file = join(data, 'PG_VERSION')
  const found = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
  if (found === MAJOR_VERSION) return
  const what = found === undefined ? 'no PostgreSQL cluster' : `a PostgreSQL ${found} cluster`
  throw new EmbeddedPostgresError(`${data} holds ${what}, but this Earshot brings PostgreSQL ${MAJOR_VERSION}.`)
}

function writePassword({ passwordFile, account }: House): void {
  writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true })
  giveTo(account, passwordFile)
}

async function runInitdb(house: House, binaries: Binaries, data: string): Promise<void> {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const login = [`--username=${LOGIN_ROLE}`, '--auth=scram-sha-256', `--pwfile=${house.passwordFile}`]
  try {
    await run(binaries.initdb, ['--pgdata', data, '--no-instructions', ...locale, ...login], {
      ...house.account,
      cwd: house.directory,
      env: SERVER_ENVIRONMENT,
    })
  } catch (error) {
    throw new EmbeddedPostgresError(`The database in ${house.directory} could not be made: ${readReason(error)}`, { cause: error })
  }
}

function readReason(error: unknown): string {
  const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
  return findFailureReason(output || String(error))
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
