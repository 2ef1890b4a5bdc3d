import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, TOP } from './command.ts'
import { installWithKept } from './kept-downloads.ts'

const HOME = join(TOP, '.conformance')
const ENVIRONMENT = join(HOME, 'venv')
const VIRTUALENV = join(HOME, 'virtualenv')
const STAMP = join(ENVIRONMENT, 'installed')
const REQUIREMENTS = join(TOP, 'test/conformance/requirements.txt')
const NEEDED = 'Python 3.11 or newer is needed, with venv or pip (on Debian: apt install python3-venv)'

/** What is missing on this machine, in one line. */
export class PythonError extends Error {}

/** A virtual environment of our own with the pinned requirements; made anew when they change. Resolves to its programs' directory. */
export async function preparePython(): Promise<string> {
  const programs = join(ENVIRONMENT, 'bin')
  const wanted = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex')
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return programs
  await makeEnvironment()
  const { exitCode, output } = await pip(join(programs, 'python'), ['--requirement', REQUIREMENTS])
  if (exitCode !== 0) throw new PythonError(`The Python packages could not be installed: ${lastLine(output)}`)
  writeFileSync(STAMP, wanted)
  return programs
}

/** Adds a package that not every machine needs. Resolves to the directory of its programs. */
export async function addPythonPackage(name: string): Promise<string> {
  const programs = await preparePython()
  const { exitCode, output } = await pip(join(programs, 'python'), [name])
  if (exitCode !== 0) throw new PythonError(`${name} could not be installed: ${lastLine(output)}`)
  return programs
}

async function makeEnvironment(): Promise<void> {
  mkdirSync(HOME, { recursive: true })
  rmSync(ENVIRONMENT, { recursive: true, force: true })
  const version = await run('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'])
  if (version.exitCode !== 0) throw new PythonError(NEEDED)
  if ((await run('python3', ['-m', 'venv', ENVIRONMENT])).exitCode === 0) return
  // Debian splits venv off; pip can bring a replacement without touching the system.
  rmSync(ENVIRONMENT, { recursive: true, force: true })
  const fetched = await pip('python3', ['virtualenv'], ['--target', VIRTUALENV])
  if (fetched.exitCode !== 0) throw new PythonError(NEEDED)
  const made = await run('python3', ['-m', 'virtualenv', ENVIRONMENT], { environment: { PYTHONPATH: VIRTUALENV } })
  if (made.exitCode !== 0) throw new PythonError(`${NEEDED}: ${lastLine(made.output)}`)
}

/**
 * Installs packages. pip compares those that were kept with the hashes of the index, and downloads again what differs. It installs
 * them from the folder, with what builds those that have no wheel.
 */
function pip(python: string, what: readonly string[], options: readonly string[] = []) {
  const ask = (command: string, ...words: string[]) =>
    run(python, ['-m', 'pip', command, '--quiet', '--disable-pip-version-check', ...words, ...what])
  return installWithKept('python', async (folder) => {
    if (folder === null) return ask('install', ...options)
    const downloaded = await ask('download', '--dest', folder, 'setuptools', 'wheel')
    return downloaded.exitCode === 0 ? ask('install', '--no-index', '--find-links', folder, ...options) : downloaded
  })
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? ''
}
