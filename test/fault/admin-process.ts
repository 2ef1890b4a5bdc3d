import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ADMIN = fileURLToPath(new URL('../../admin.ts', import.meta.url))

/** Runs a command of the operator's door, in an environment of its own; its output is read as JSON. */
export async function runAdmin<Result>(environment: Record<string, string>, ...words: string[]): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const env = { PATH: '/usr/bin:/bin', ...environment }
  execFile(process.execPath, ['--disable-warning=ExperimentalWarning', ADMIN, ...words, '--json'], { env }, (error, stdout, stderr) => {
    if (error) reject(new Error(stderr, { cause: error }))
    else resolve(JSON.parse(stdout))
  })
  return promise
}
