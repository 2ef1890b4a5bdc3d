import { execFile } from 'node:child_process'
import { chownSync, lchownSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { EmbeddedPostgresError } from './errors.ts'

const CANDIDATES = ['postgres', 'nobody']

const run = promisify(execFile)

/** The user and group that PostgreSQL runs as; undefined if it runs as this process does. */
export type Account = { uid: number; gid: number } | undefined

/** Returns the account for PostgreSQL, which refuses to run as root: root needs another user for it, and everybody else runs it themselves. */
export async function findAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined
  for (const name of CANDIDATES) {
    const [uid, gid] = await Promise.all([readId('-u', name), readId('-g', name)])
    if (uid && gid) return { uid, gid }
  }
  throw new EmbeddedPostgresError(`PostgreSQL does not run as root, and this machine has no user named ${CANDIDATES.join(' or ')}.`)
}

/** Runs a `test`-like shell condition as the account: whether it can reach paths, links and access lists included. */
export async function accountCan(account: Account, condition: string, ...paths: string[]): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', condition, 'sh', ...paths], { ...account, cwd: '/' })
    return true
  } catch {
    return false
  }
}

export function giveTo(account: Account, path: string): void {
  if (account !== undefined) chownSync(path, account.uid, account.gid)
}

export function giveTreeTo(account: Account, root: string): void {
  if (account === undefined) return
  for (const entry of ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })]) {
    lchownSync(join(root, entry), account.uid, account.gid)
  }
}

async function readId(flag: string, name: string): Promise<number | undefined> {
  try {
    return Number((await run('id', [flag, name])).stdout)
  } catch {
    return undefined
  }
}
