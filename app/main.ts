import { setFlagsFromString } from 'node:v8'
import { type Config, ConfigError, readConfig } from './config.ts'
import { endProcess } from './end-process.ts'
import type { Service } from './service.ts'
import { nameSources } from './source-positions.ts'

const OLDEST_NODE = [22, 18]
const EXIT_CONFIGURATION = 2
const EXIT_INTERRUPTED = 130
/** npm forwards Ctrl-C to a service that already got it from the terminal: within this time, two signals count as one. */
const REPEATED_SIGNAL_MS = 1_000
/** A stop that takes longer is given up. */
const LONGEST_STOP_MS = 24_500
/** How much the heap may grow between two collections of all of it, of what the last one left. By itself V8 allows several times as much. */
const HEAP_GROWTH = '--heap-growing-percent=50'

nameSources()
setFlagsFromString(HEAP_GROWTH)
forgetWebSocket()
requireNode()
const config = readConfigOrExit()
const service = await startOrExit(config)
let shutdownStartedMs: number | null = null
process.on('SIGINT', () => void shutDown('SIGINT'))
process.on('SIGTERM', () => void shutDown('SIGTERM'))
await announce(service)

/**
 * An ES module that imports `node:http` reads all that it exports, and these three load Node's own copy of undici, 6 MB of memory. The
 * service does not use them.
 */
function forgetWebSocket(): void {
  const http: Partial<Record<string, unknown>> = process.getBuiltinModule('node:http')
  for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) delete http[name]
}

/** On Linux the project brings its own Node; elsewhere the user's must be new enough. */
function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  fail(
    `Earshot needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. On Linux "npm start" brings the right one.`,
    1,
  )
}

function readConfigOrExit(): Config {
  try {
    return readConfig()
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.message, EXIT_CONFIGURATION)
    throw error
  }
}

/** Loads the service only now, so that an invalid variable is reported at once. */
async function startOrExit(configuration: Config): Promise<Service> {
  const { startService } = await import('./service.ts')
  try {
    return await startService(configuration)
  } catch (error) {
    const { explainStartFailure } = await import('./start-failure.ts')
    const failure = explainStartFailure(error, configuration)
    if (failure) return fail(failure.line, failure.exitCode)
    throw error
  }
}

async function announce({ url }: Service): Promise<void> {
  if (config.role === 'worker') return console.log(`Earshot worker is running${url === null ? '' : `; probes at ${url}`}.`)
  if (config.localTrial)
    console.log(
      'Local trial: webhooks may go to this machine over plain http. Set EARSHOT_WEBHOOK_ALLOW_NETWORKS, even to an empty value, to turn this off.',
    )
  if (process.argv.includes('--demo')) {
    const { makeDemo } = await import('./demo/demo.ts')
    console.log(await makeDemo(config))
  }
  console.log(`Earshot is ready: ${config.port === 0 ? url : config.baseUrl} — API reference at /api/docs/`)
}

async function shutDown(signal: string): Promise<void> {
  if (shutdownStartedMs !== null) {
    if (signal === 'SIGINT' && performance.now() - shutdownStartedMs > REPEATED_SIGNAL_MS) process.exit(EXIT_INTERRUPTED)
    return
  }
  shutdownStartedMs = performance.now()
  console.log(`Earshot received ${signal}: shutting down.`)
  const timer = setTimeout(endProcess, LONGEST_STOP_MS)
  await service.stop()
  clearTimeout(timer)
  endProcess()
}

function fail(line: string, exitCode: number): never {
  console.error(line)
  process.exit(exitCode)
}
