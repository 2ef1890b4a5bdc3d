import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Log } from '@earshot/server'
import { isBuilt } from '@earshot/web/build'

const BUILD = fileURLToPath(import.meta.resolve('@earshot/web/build'))
const KEPT_CHARACTERS = 4_000

/**
 * Builds the pages in a process of its own when their build is missing or older than their sources. The service responds meanwhile:
 * with the old pages, or with 503 on their addresses. Never throws, because the service listens already. Returns a function that
 * ends the build.
 */
export function buildMissingPages(log: Log): () => Promise<void> {
  try {
    if (!isBuilt()) return startBuild(log)
  } catch (err) {
    log.error({ err }, 'The pages cannot be built')
  }
  return async () => {}
}

function startBuild(log: Log): () => Promise<void> {
  log.info('Building the pages')
  const child = spawn(process.execPath, [BUILD], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output = `${output}${chunk}`.slice(-KEPT_CHARACTERS)))
  const ended = new Promise<void>((resolve) => {
    child.on('error', (err) => {
      log.error({ err }, 'The pages cannot be built')
      resolve()
    })
    child.on('exit', (code, signal) => {
      if (code === 0) log.info('The pages are built')
      else if (signal === null) log.error({ output }, 'The pages cannot be built. Run "npm run prepare" to see why.')
      resolve()
    })
  })
  return async () => {
    child.kill()
    await ended
  }
}
