import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Returns when a process started, as an opaque text that no later process of the same pid repeats (boot id and clock ticks on Linux).
 * Undefined when there is no such process, or only a zombie: a container without an init never reaps them.
 */
export function readStartTime(pid: number): string | undefined {
  return process.platform === 'linux' ? readProcStat(pid) : readPs(pid, 'lstart=')
}

/** Returns the command line of a living process. */
export function readCommandLine(pid: number): string | undefined {
  if (process.platform !== 'linux') return readPs(pid, 'command=')
  return readIfPresent(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim()
}

function readProcStat(pid: number): string | undefined {
  const stat = readIfPresent(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses (proc_pid_stat(5)).
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === 'Z' || state === 'X') return undefined
  const startTicks = fields[18]
  return `${readIfPresent('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${startTicks ?? ''}`
}

function readPs(pid: number, column: string): string | undefined {
  try {
    const [state = '', ...rest] = execFileSync('ps', ['-ww', '-o', `state=,${column}`, '-p', String(pid)], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .trim()
      .split(/\s+/)
    return state === '' || state.startsWith('Z') ? undefined : rest.join(' ')
  } catch {
    // ps exits with 1 when there is no such process.
    return undefined
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
