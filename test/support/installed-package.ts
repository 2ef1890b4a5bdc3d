import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const TOP = fileURLToPath(new URL('../..', import.meta.url))
const LIMIT_MS = 120_000
/** Is compiled where it stands, and packed by one test at a time. */
const CONTRACTS = 'contracts'
const execute = promisify(execFile)

/** A new project with a packed package of this repository and nothing else. */
export interface InstalledPackage extends Disposable {
  /** The folder of the project. */
  path: string
  /** The folder that was packed. */
  built: string
  /** Path of the packed package. */
  tarball: string
  /** The names of the installed packages. */
  listDependencies: () => Promise<string[]>
  write: (file: string, text: string) => void
  /** Runs a program there. Resolves to its output; rejects when it fails. */
  run: (program: string, ...args: string[]) => Promise<string>
  /** Bundles a file for a browser. Returns the code and its modules. */
  bundle: (file: string) => Promise<{ code: string; modules: string[] }>
}

/** Builds and packs the package of a workspace, and installs it into an empty project. */
export async function installPackage(workspace: string): Promise<InstalledPackage> {
  const directory = mkdtempSync(join(tmpdir(), 'earshot-package-'))
  const project = join(directory, 'project')
  mkdirSync(project)
  const run = async (cwd: string, program: string, ...args: string[]) => {
    const { stdout } = await execute(program, args, { cwd, timeout: LIMIT_MS }).catch((error) => {
      throw new Error(`${program} ${args.join(' ')}: ${error.stdout}${error.stderr}`)
    })
    return stdout
  }
  // Into a folder of its own: another test may build and pack the same workspace at the same time.
  const built = workspace === CONTRACTS ? join(TOP, workspace, 'dist') : join(directory, 'built')
  await run(TOP, 'npm', 'run', '--silent', 'build', '--workspace', workspace, ...(workspace === CONTRACTS ? [] : ['--', built]))
  const packed = await run(TOP, 'npm', 'pack', built, '--json', '--pack-destination', directory)
  const [{ filename }] = JSON.parse(packed)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'receiver', type: 'module', private: true }))
  const tarball = join(directory, filename)
  await run(project, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball)

  return {
    path: project,
    built,
    tarball,
    listDependencies: async () => {
      const installed: { name: string }[] = JSON.parse(await run(project, 'npm', 'query', ':root *'))
      return installed.map(({ name }) => name).sort()
    },
    write: (file, text) => writeFileSync(join(project, file), text),
    run: (program, ...args) => run(project, program, ...args),
    bundle: async (file) => {
      const { outputFiles, metafile } = await build({
        absWorkingDir: project,
        entryPoints: [file],
        bundle: true,
        format: 'iife',
        platform: 'browser',
        minify: true,
        write: false,
        metafile: true,
      })
      return { code: outputFiles[0]?.text ?? '', modules: Object.keys(metafile.inputs) }
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}
