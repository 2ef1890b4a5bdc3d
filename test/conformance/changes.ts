import { run, TOP } from './command.ts'

const HOURS = 12
const HOUR_MS = 3_600_000

/**
 * Returns the files that differ from the newest commit that is more than twelve hours old: of later commits, and of the work tree. Null
 * where the history is cut off, or does not go back that far.
 */
export async function changedFiles(nowMs: number, repository = TOP): Promise<string[] | null> {
  const git = (...args: string[]) => ask(['-C', repository, ...args])
  if ((await git('rev-parse', '--is-shallow-repository')) !== 'false') return null
  const before = new Date(nowMs - HOURS * HOUR_MS).toISOString()
  const commit = await git('log', '-1', '--format=%H', `--before=${before}`)
  if (!commit) return null
  const names = await git('diff', '--name-only', '--no-renames', commit)
  return names === null ? null : names.split('\n').filter((name) => name !== '')
}

/** Resolves to what git prints, or to null if it fails. */
async function ask(args: readonly string[]): Promise<string | null> {
  const { exitCode, output } = await run('git', args)
  return exitCode === 0 ? output.trim() : null
}
