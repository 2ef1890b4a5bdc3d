import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, TOP } from './command.ts'
import { PythonError, preparePython } from './python.ts'
import { runPythonSamples, writePythonSamples } from './samples.ts'
import type { Tourist } from './tourist.ts'

const SOURCE = join(TOP, 'sdks/python')
/** A copy, so that the sources stay without generated code. */
const FOLDER = join(TOP, '.conformance/python-package')
const SAMPLES = join(FOLDER, 'samples')
const BLOCK = /^```python\n(?<code>[\s\S]*?)^```$/gm

/**
 * Builds the Python package as a release does, from the document that the service serves; checks it, its README and the samples of
 * the document with mypy and its tests; takes the tour with the wheel, and runs the samples. Resolves to the problem, or null.
 */
export async function checkPythonPackage({ url, environment }: Tourist): Promise<string | null> {
  try {
    const programs = await preparePython()
    copySources()
    await using samples = await writePythonSamples(SAMPLES)
    const settings = ['--config-file', join(FOLDER, 'pyproject.toml'), '--cache-dir', join(FOLDER, '.mypy_cache')]
    const steps: [what: string, program: string, args: string[]][] = [
      ['generate.py', 'python', [join(FOLDER, 'generate.py'), `${url}/api/schema/`]],
      ['ruff format', 'ruff', ['format', '--no-cache', '--check', SOURCE]],
      ['ruff check', 'ruff', ['check', '--no-cache', SOURCE]],
      ['mypy', 'mypy', [...settings, ...['src', 'tests', 'readme.py', 'samples'].map((name) => join(FOLDER, name))]],
      ['the wheel', 'python', ['-m', 'build', '--wheel', '--no-isolation', FOLDER]],
      ['pip', 'python', ['-m', 'pip', 'install', '--quiet', '--no-deps', '--force-reinstall', 'WHEEL']],
      // What the package says that it needs is there.
      ['pip check', 'python', ['-m', 'pip', 'check']],
      ['its tests', 'python', ['-m', 'pytest', '--quiet', '-p', 'no:cacheprovider', join(FOLDER, 'tests')]],
      ['the tour', 'python', [join(FOLDER, 'tests/tour.py')]],
      ['the async tour', 'python', [join(FOLDER, 'tests/tour.py'), 'async']],
    ]
    for (const [what, program, args] of steps) {
      const { exitCode, output } = await run(
        join(programs, program),
        args.map((arg) => (arg === 'WHEEL' ? wheel() : arg)),
        {
          environment: { ...environment, MYPYPATH: join(FOLDER, 'src') },
        },
      )
      if (exitCode !== 0) return `${what}: ${output.trim().split('\n').slice(-15).join(' | ')}`
      if (what.endsWith('tour')) console.log(`Python package: ${output.trim().split('\n').length} steps of ${what}`)
    }
    const problem = await runPythonSamples(join(programs, 'python'), SAMPLES, samples)
    return problem === null ? null : `the samples: ${problem}`
  } catch (error) {
    if (error instanceof PythonError) return error.message
    throw error
  }
}

function copySources(): void {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  cpSync(SOURCE, FOLDER, { recursive: true, filter: (path) => !/generated$|dist$|_cache$|__pycache__$/.test(path) })
  const readme = readFileSync(join(SOURCE, 'README.md'), 'utf8')
  writeFileSync(join(FOLDER, 'readme.py'), [...readme.matchAll(BLOCK)].map(({ groups }) => groups?.code).join('\n'))
}

function wheel(): string {
  const [name = ''] = readdirSync(join(FOLDER, 'dist'))
  return join(FOLDER, 'dist', name)
}
