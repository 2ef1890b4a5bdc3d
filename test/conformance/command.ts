import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The top of the repository. */
export const TOP = fileURLToPath(new URL('../..', import.meta.url))

interface CommandOptions {
  environment?: Record<string, string>
  /** The command is killed after this time. */
  timeoutMs?: number
  /** Passes the output through instead of collecting it. */
  isShown?: boolean
}

/** Runs a command at the top of the repository. Resolves to its output and exit code; the code is null if it could not finish. */
export async function run(
  command: string,
  args: readonly string[],
  { environment = {}, timeoutMs = 600_000, isShown = false }: CommandOptions = {},
): Promise<{ exitCode: number | null; output: string }> {
  const child = spawn(command, args, {
    cwd: TOP,
    env: { ...process.env, ...environment },
    stdio: ['ignore', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'pipe'],
  })
  // Not spawn's own timeout, which keeps this process alive when the command does not exist.
  const timer = setTimeout(() => child.kill(), timeoutMs)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text))
  try {
    const [exitCode] = await once(child, 'close')
    return { exitCode, output }
  } catch (error) {
    return { exitCode: null, output: String(error) }
  } finally {
    clearTimeout(timer)
  }
}
