import { readdirSync, readFileSync } from 'node:fs'

/** Returns the processor time of a process since its start in microseconds, over all threads. */
export function processorMicroseconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ', 1)[0]) / 1000)
    .reduce((sum, microseconds) => sum + microseconds, 0)
}

/** Returns the processor time of a process and its children: PostgreSQL's main process and its backends. */
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

/** Returns the fields after the name of the process, which can contain spaces: proc(5), /proc/pid/stat. */
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
