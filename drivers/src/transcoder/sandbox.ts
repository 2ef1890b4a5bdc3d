import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** 4K HEVC takes 2.1 GB of addresses. */
const MAX_ADDRESS_KILOBYTES = 4_000_000
/** The unit of `ulimit -f` in a POSIX shell. */
const BLOCK_BYTES = 512
/**
 * Linux schedules each session as a group (sched(7), autogroup), within which alone `nice` counts: the group needs the low priority
 * too. macOS knows neither that nor a limit of addresses: the others still hold.
 */
const SCRIPT = `(echo "$3" >/proc/self/autogroup) 2>/dev/null; ulimit -v ${MAX_ADDRESS_KILOBYTES} 2>/dev/null; ulimit -S -t "$1"; ulimit -f "$2"; ulimit -c 0; shift 3; exec "$@"`

const NICENESS = 10

/** What a confined process may use. */
export interface SandboxLimits {
  cpuSeconds: number
  /** The size of the largest file that it writes. */
  fileBytes: number
}

/** Wraps a command so that it runs with limits, a low priority and, where the machine allows it, without a network. */
export interface Sandbox {
  wrap: (command: readonly string[], limits: SandboxLimits) => string[]
  /** What this machine refuses, for operators. */
  missing: string[]
}

/** How confined processes run beside others. */
export interface SandboxPriority {
  /** As of `nice`: 10 unless given. */
  niceness?: number | undefined
}

/** Tries what this machine allows. */
export async function findSandbox({ niceness = NICENESS }: SandboxPriority = {}): Promise<Sandbox> {
  const [hasNetworks, hasParentDeath] = await Promise.all([
    canRun('unshare', ['-rn', 'true']),
    canRun('setpriv', ['--pdeathsig', 'KILL', 'true']),
  ])
  const prefix = [
    ...(hasNetworks ? ['unshare', '-rn'] : []),
    ...['nice', '-n', String(niceness)],
    // The last one: a change of user namespaces would clear it.
    ...(hasParentDeath ? ['setpriv', '--pdeathsig', 'KILL'] : []),
  ]
  return {
    missing: [...(hasNetworks ? [] : ['network namespaces']), ...(hasParentDeath ? [] : ['setpriv'])],
    wrap: (command, { cpuSeconds, fileBytes }) => [
      ...['sh', '-c', SCRIPT, 'sh', String(Math.ceil(cpuSeconds)), String(Math.ceil(fileBytes / BLOCK_BYTES)), String(niceness)],
      ...prefix,
      ...command,
    ],
  }
}

async function canRun(command: string, parameters: string[]): Promise<boolean> {
  return await promisify(execFile)(command, parameters).then(
    () => true,
    () => false,
  )
}
