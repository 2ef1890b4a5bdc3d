import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const EXECUTABLE = fileURLToPath(new URL('earshot.js', import.meta.resolve('@earshot/cli')))

/** The exit code and output of a process. */
export interface Ended {
  exitCode: number | null
  out: Buffer
  err: string
}

/** Runs the command line as a process of its own, by a shell in which `earshot` is its name. */
export async function runInShell(command: string, env: Record<string, string> = {}, nodeFlags = ''): Promise<Ended> {
  const script = `set -o pipefail; earshot() { "$NODE" ${nodeFlags} "$EXECUTABLE" "$@"; }; ${command}`
  const child = spawn('bash', ['-c', script], {
    env: { ...process.env, NODE: process.execPath, EXECUTABLE, EARSHOT_TOKEN: 'svc_test', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err] = [child.stdout.toArray(), child.stderr.toArray()]
  const [exitCode] = await once(child, 'close')
  return { exitCode, out: Buffer.concat(await out), err: Buffer.concat(await err).toString('utf8') }
}
