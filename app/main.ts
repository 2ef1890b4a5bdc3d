import { type Config, ConfigError, readConfig } from './config.ts'
import type { Service } from './service.ts'

const OLDEST_NODE = [22, 18]
const EXIT_CONFIGURATION = 2
const EXIT_INTERRUPTED = 130
/** npm passes Ctrl-C on to a service that the terminal has told already: within this time it is one wish, not two. */
const ONE_WISH_MS = 1_000

requireNode()
const config = readConfigOrExit()
const service = await startOrExit(config)
let endingSinceMs: number | null = null
process.on('SIGINT', () => void end('SIGINT'))
process.on('SIGTERM', () => void end('SIGTERM'))
await announce(service)

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

/** The service is loaded only now, so that a wrong variable is told at once. */
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
  if (config.role === 'worker') return console.log(`Earshot works on jobs and webhooks${url === null ? '' : `; probes at ${url}`}.`)
  if (config.localTrial)
    console.log(
      'Local trial: webhooks may go to this machine over plain http. Set EARSHOT_WEBHOOK_ALLOW_NETWORKS, even to nothing, to end it.',
    )
  if (process.argv.includes('--demo')) {
    const { makeDemo } = await import('./demo.ts')
    console.log(await makeDemo(config))
  }
  console.log(`Earshot is ready: ${config.port === 0 ? url : config.baseUrl} — API reference at /api/docs/`)
}

async function end(signal: string): Promise<void> {
  if (endingSinceMs !== null) {
    if (signal === 'SIGINT' && performance.now() - endingSinceMs > ONE_WISH_MS) process.exit(EXIT_INTERRUPTED)
    return
  }
  endingSinceMs = performance.now()
  console.log(`Earshot got ${signal}: finishing what it began.`)
  await service.stop()
  process.exit(0)
}

function fail(line: string, exitCode: number): never {
  console.error(line)
  process.exit(exitCode)
}
