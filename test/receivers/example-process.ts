import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'

const START_LIMIT_MS = 60_000

/** A receiver in a process of its own. */
export interface ExampleProcess extends AsyncDisposable {
  url: string
  /** Its output. */
  output: () => string
}

/** The command that starts a receiver, with variables besides those that all receivers read. */
export interface Command {
  program: string
  args: string[]
  environment?: Record<string, string>
}

/** Starts a receiver with the secret and waits until it listens. */
export async function startExample({ program, args, environment = {} }: Command, secret: string): Promise<ExampleProcess> {
  const url = `http://127.0.0.1:${await freePort()}/`
  const { PATH = '', HOME = '/' } = process.env
  const child = spawn(program, args, { env: { PATH, HOME, ...environment, RECEIVER_URL: url, WEBHOOK_SECRET: secret } })
  const closed = once(child, 'close').catch(() => {})
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  let hasEnded = false
  void closed.then(() => (hasEnded = true))
  const stop = async () => {
    child.kill()
    await closed
  }
  try {
    await until('the receiver listens', async () => hasEnded || (await isListening(url)), START_LIMIT_MS)
    if (hasEnded) throw new Error(`The receiver ended:\n${printed}`)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, output: () => printed, [Symbol.asyncDispose]: stop }
}

/** Resolves once it responds, with any status. */
function isListening(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}
