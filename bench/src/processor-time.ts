import { readdirSync, readFileSync } from 'node:fs'

/** Microseconds that a process has spent on a processor since it began, all its threads together. */
export function processorMicroseconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ', 1)[0]) / 1000)
    .reduce((sum, microseconds) => sum + microseconds, 0)
}

/** The same for a process and all that it started: PostgreSQL's first process and its backends. */
export function familyMicroseconds(pid: number): number {
  return [pid, ...childrenOf(pid)].map(processorMicrosecondsOrNone).reduce((sum, microseconds) => sum + microseconds, 0)
}

export function parentOf(pid: number): number {
  return Number(statFields(pid)[1])
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(statFields(pid)[1]) === parent)
}

/** A backend may end between the listing and the reading. */
function processorMicrosecondsOrNone(pid: number): number {
  try {
    return processorMicroseconds(pid)
  } catch {
    return 0
  }
}

/** What follows the name of the process, which may hold spaces: proc(5), /proc/pid/stat. */
function statFields(pid: number): string[] {
  return read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
