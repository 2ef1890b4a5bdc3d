import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { isListening } from '../support/is-listening.ts'
import { until } from '../support/until.ts'
import { installGoProgram } from './go.ts'
import { preparePython } from './python.ts'
import { runTests } from './test-run.ts'

const PROGRAM = 'github.com/versity/versitygw/cmd/versitygw'
const VERSION = 'v1.8.0'
const BUCKET = 'blobs'
const ACCESS_KEY = 'earshot'
const SECRET_KEY = 'earshot-conformance'

/**
 * Runs the tests that every blob store passes, uploads of independent clients and of a browser, and media, on a real S3 server.
 * Resolves to the problem, or null.
 */
export async function checkStorage(): Promise<string | null> {
  try {
    await using server = await startServer(await installGoProgram(PROGRAM, VERSION))
    return await testStore(server.endpoint)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function testStore(endpoint: string): Promise<string | null> {
  const { count, problem } = await runTests('test/conformance/*.conformance.ts', {
    ...{ AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY },
    S3_STORE_URL: `s3://${BUCKET}/earshot?endpoint=${endpoint}`,
    PYTHON: join(await preparePython(), 'python'),
  })
  console.log(`${count} tests of a blob store, and of uploads and media over S3`)
  return problem
}

async function startServer(program: string): Promise<{ endpoint: string } & AsyncDisposable> {
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'earshot-s3-'))
  const [blobs, metadata] = [join(directory, 'blobs'), join(directory, 'metadata')]
  for (const path of [blobs, metadata]) mkdirSync(path)
  // Not every temporary directory has extended attributes.
  const backend = ['posix', '--sidecar', metadata, blobs]
  const child: ChildProcess = spawn(program, ['--quiet', '--port', `127.0.0.1:${port}`, ...backend], {
    env: { PATH: process.env.PATH, ROOT_ACCESS_KEY: ACCESS_KEY, ROOT_SECRET_KEY: SECRET_KEY },
    stdio: 'ignore',
  })
  const closed = once(child, 'close')
  await until('versitygw listens', () => child.exitCode !== null || isListening(port))
  if (child.exitCode !== null) throw new Error(`versitygw ended with exit code ${child.exitCode}`)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await closed
      rmSync(directory, { recursive: true })
    },
  }
}
