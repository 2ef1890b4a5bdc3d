import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TOP = fileURLToPath(new URL('../..', import.meta.url))
const OWN_PACKAGES = '@earshot'
const WORKSPACES = ['app', 'contracts', 'db', 'drivers', 'jobs', 'server', 'web']

/** The whole text of a file, new or in place of the old one, or what to replace in it. */
type Change = string | { find: string; put: string }

/** The sources of another version of the service. */
export interface OtherVersion {
  /** The program to start. */
  main: string
  [Symbol.dispose]: () => void
}

/** Copies the sources and changes files of them, by their paths from the top. Throws when there is nothing to replace. */
export function makeOtherVersion(changes: Record<string, Change>): OtherVersion {
  const directory = mkdtempSync(join(tmpdir(), 'earshot-version-'))
  // The pages show the examples.
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'examples', ...WORKSPACES])
    cpSync(join(TOP, name), join(directory, name), { recursive: true, filter: (path) => !/\/(?:node_modules|app\/dist)$/.test(path) })
  linkPackages(directory)
  for (const [path, change] of Object.entries(changes)) changeFile(join(directory, path), change)
  return { main: join(directory, 'app/main.ts'), [Symbol.dispose]: () => rmSync(directory, { recursive: true }) }
}

/** Links every package but our own, which are those of the copy. */
function linkPackages(directory: string): void {
  for (const workspace of ['', ...WORKSPACES]) {
    const from = join(TOP, workspace, 'node_modules')
    const to = join(directory, workspace, 'node_modules')
    mkdirSync(to)
    for (const name of packagesIn(from)) symlinkSync(join(from, name), join(to, name))
  }
  const own = join(directory, 'node_modules', OWN_PACKAGES)
  mkdirSync(own)
  for (const workspace of WORKSPACES) symlinkSync(join(directory, workspace), join(own, workspace))
}

function packagesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name !== OWN_PACKAGES)
  } catch {
    return []
  }
}

function changeFile(path: string, change: Change): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof change === 'string' ? change : replaceIn(readFileSync(path, 'utf8'), path, change))
}

function replaceIn(text: string, path: string, { find, put }: Exclude<Change, string>): string {
  if (!text.includes(find)) throw new Error(`${path} has no ${find}`)
  return text.replace(find, () => put)
}
