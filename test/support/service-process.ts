import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { type Client, createClient } from '@earshot/contracts/client'
import { builtProgram } from './built-program.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { until } from './until.ts'

const READY = /^Earshot (?:is ready: (\S+) |worker is running(?:; probes at (\S+))?\.$)/m
/** Of a machine that does much else. */
const START_LIMIT_MS = 45_000
const STOP_LIMIT_MS = 30_000

export interface LaunchOptions {
  /** The account of the process; the test’s own if absent. */
  account?: { uid: number; gid: number } | undefined
  home?: string
  /** The program of another version; that of this repository if absent. */
  main?: string
  /** What follows the name of the program. */
  args?: readonly string[]
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Its standard output and standard error. */
  output: string
}

export interface Reply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  body: any
  ms: number
}

export interface ServiceProcess {
  pid: number
  /** The base URL; of a worker that of its probes, or empty. */
  url: string
  /** From the spawn to the ready line. */
  readyMs: number
  output: () => string
  /** Sends a signal and waits for the end. */
  stop: (signal?: NodeJS.Signals) => Promise<Exit>
  exit: Promise<Exit>
  /** Sends a request without retries. */
  send: (method: string, path: string, options?: { token?: string; body?: unknown; headers?: Record<string, string> }) => Promise<Reply>
  /** A client without retries. */
  client: (token?: string) => Client
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts the service and waits until it is ready. Rate limits are out of reach unless the environment sets them. */
export async function startService(environment: Record<string, string>, options: LaunchOptions = {}): Promise<ServiceProcess> {
  const startedAt = performance.now()
  const { child, exit, output } = launch({ EARSHOT_RATE_LIMIT_MULTIPLIER: '1000000', ...environment }, options)
  let hasExited = false
  void exit.then(() => {
    hasExited = true
  })
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return exit
  }
  try {
    await until('the service is ready', () => hasExited || READY.test(output()), START_LIMIT_MS)
    if (hasExited) throw new Error(`The service ended early:\n${output()}`)
  } catch (error) {
    await stop('SIGKILL')
    throw error
  }
  const [, api, probes] = READY.exec(output()) ?? []
  const url = api ?? probes ?? ''
  return {
    ...{ pid: child.pid ?? 0, url, readyMs: Math.round(performance.now() - startedAt), output, stop, exit },
    send: (method, path, request) => send(url + path, method, request),
    client: (token) => createClient({ baseUrl: url, maxRetries: 0, ...(token !== undefined && { token }) }),
    async [Symbol.asyncDispose]() {
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
      await stop('SIGTERM')
      clearTimeout(timer)
    },
  }
}

/** Starts a service that ends by itself. */
export async function runService(environment: Record<string, string>, options: LaunchOptions = {}): Promise<Exit> {
  const { child, exit } = launch(environment, options)
  const timer = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS)
  const ended = await exit
  clearTimeout(timer)
  return ended
}

/** Starts the process with an environment of its own on a free port. */
function launch(environment: Record<string, string>, { account, home = tmpdir(), main = builtProgram('main'), args = [] }: LaunchOptions) {
  // Without a data directory of its own it shares one with the other replicas.
  const storage = environment.EARSHOT_DATA_DIR === undefined && { EARSHOT_STORAGE_URL: 'file:earshot-test-blobs' }
  const child: ChildProcess = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    ...account,
    cwd: home,
    env: { PATH: '/usr/bin:/bin', HOME: home, UV_THREADPOOL_SIZE: '16', PORT: '0', ...COMPILE_CACHE, ...storage, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (printed += text))
  const output = () => printed
  const exit = once(child, 'close').then(([code, signal]): Exit => ({ code, signal, output: printed }))
  return { child, exit, output }
}

async function send(
  url: string,
  method: string,
  { token, body, headers }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const startedAt = performance.now()
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text, ms: performance.now() - startedAt }
}
