import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { DatabaseAddress } from '@earshot/db'
import { connectEmbedded } from '@earshot/db/embedded'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const manifest: { scripts: { start: string } } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
/** It replaces the shell by Node, so that the child is the service. */
const START = manifest.scripts.start
const READY = /^Earshot (?:is ready: |worker is running; probes at )(\S+?)\.?(?: |$)/

export interface ServiceProcess extends AsyncDisposable {
  url: string
  pid: number
  /** The address of its embedded PostgreSQL. */
  address: DatabaseAddress
  /** The time from the start of the process to its ready line. */
  readyAfterMs: number
}

/** Starts the service as `npm start` does, with its embedded PostgreSQL in `dataDir`, on a free port. */
export async function startService(
  dataDir: string,
  environment: Record<string, string> = {},
  options: readonly string[] = [],
): Promise<ServiceProcess> {
  const startedMs = performance.now()
  const child = spawn('sh', ['-c', [START, ...options].join(' ')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: process.env.HOME,
      PORT: '0',
      EARSHOT_DATA_DIR: dataDir,
      EARSHOT_RATE_LIMIT_MULTIPLIER: '1000000',
      ...environment,
    },
  })
  const kill = () => void child.kill('SIGTERM')
  process.once('exit', kill)
  const exited = once(child, 'exit').finally(() => process.off('exit', kill))
  const lines = createInterface({ input: child.stdout })
  const url = await Promise.race([
    new Promise<string>((resolve) => lines.on('line', (line) => READY.test(line) && resolve(READY.exec(line)?.[1] ?? ''))),
    exited.then(() => Promise.reject(new Error('The service ended before it was ready.'))),
  ])
  const readyAfterMs = performance.now() - startedMs
  const stop = async () => {
    kill()
    await exited
  }
  const address = await connectEmbedded({ dataDir })
  if (!address || child.pid === undefined) throw new Error('The service has no embedded database.')
  return { url, pid: child.pid, address, readyAfterMs, [Symbol.asyncDispose]: stop }
}
