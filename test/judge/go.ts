import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run, TOP } from './command.ts'
import { installDebian } from './debian.ts'

const HOME = join(TOP, '.judge/go')
const NEEDED = 'Go 1.21 or newer is needed (on Debian: apt install golang-go)'
const PLACES = ['go', '/usr/local/go/bin/go', '/usr/lib/go/bin/go']

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

async function findGo(): Promise<string | null> {
  for (const place of PLACES) {
    const { output } = await run(place, ['version'])
    const minor = /^go version go1\.(\d+)/.exec(output)?.[1]
    if (Number(minor) >= 21) return place
  }
  return null
}

async function installGo(): Promise<string> {
  await installDebian('golang-go')
  const go = await findGo()
  if (go === null) throw new GoError(NEEDED)
  return go
}
