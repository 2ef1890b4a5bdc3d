import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { giveTo } from './account.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedPostgresError } from './errors.ts'
import { findFailureReason } from './failure-reason.ts'
import type { ServerFiles } from './server-files.ts'
import { SERVER_ENVIRONMENT } from './settings.ts'

const MAJOR_VERSION = '18'

/** The server's superuser, the only role that logs in. */
export const LOGIN_ROLE = 'earshot'

const run = promisify(execFile)

/** Creates the cluster on the first start; checks on later starts that this PostgreSQL can read it. */
export async function initialiseCluster(files: ServerFiles, binaries: Binaries): Promise<void> {
  if (existsSync(files.data)) return checkVersion(files)
  writePassword(files)
  // Built under another name and renamed, so that an interrupted start leaves no incomplete cluster.
  const partial = `${files.data}.partial`
  rmSync(partial, { recursive: true, force: true })
  await runInitdb(files, binaries, partial)
  renameSync(partial, files.data)
  syncDirectory(files.directory)
}

function checkVersion({ data }: ServerFiles): void {
  const file = join(data, 'PG_VERSION')
  const found = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
  if (found === MAJOR_VERSION) return
  const what = found === undefined ? 'no PostgreSQL cluster' : `a PostgreSQL ${found} cluster`
  throw new EmbeddedPostgresError(`${data} holds ${what}, but this Earshot brings PostgreSQL ${MAJOR_VERSION}.`)
}

function writePassword({ passwordFile, account }: ServerFiles): void {
  writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true })
  giveTo(account, passwordFile)
}

async function runInitdb(files: ServerFiles, binaries: Binaries, data: string): Promise<void> {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const login = [`--username=${LOGIN_ROLE}`, '--auth=scram-sha-256', `--pwfile=${files.passwordFile}`]
  try {
    await run(binaries.initdb, ['--pgdata', data, '--no-instructions', ...locale, ...login], {
      ...files.account,
      cwd: files.directory,
      env: SERVER_ENVIRONMENT,
    })
  } catch (error) {
    throw new EmbeddedPostgresError(`The database in ${files.directory} could not be created: ${readReason(error)}`, { cause: error })
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
