import type { Applied } from './applied.ts'
import type { FunctionSet, Migration } from './migration-files.ts'
import { DatabaseSetupError } from './setup-error.ts'

/** The migrations and functions of this version of the code. */
export interface Wanted {
  migrations: Migration[]
  functions: FunctionSet
}

/** What is missing in a database. */
export interface Plan {
  /** To be applied before the service works. */
  migrations: Migration[]
  /** To be run while it works. */
  online: Migration[]
  functions: FunctionSet | undefined
}

/** Compares a database with the code. Throws `DatabaseSetupError` when this code must not work on it, or cannot bring it up to date. */
export function makePlan(applied: Applied | undefined, { migrations, functions }: Wanted): Plan {
  if (applied === undefined) return { migrations, online: [], functions }
  requireOwnMigrations(applied, migrations)
  requireNewCode(applied, migrations)
  const versions = new Set(applied.migrations.map(({ version }) => version))
  const missing = migrations.filter(({ version }) => !versions.has(version))
  const late = missing.find(({ version, isOnline }) => !isOnline && version < Math.max(...versions))
  if (late)
    throw new DatabaseSetupError(
      `The migration ${late.fileName} has a lower number than one that is already applied. Give it a higher number.`,
    )
  const isNeeded = isNeededFirst(missing)
  return {
    migrations: missing.filter(isNeeded),
    online: missing.filter((migration) => !isNeeded(migration)),
    functions: areCurrent(applied, functions) ? undefined : functions,
  }
}

/** Returns which migrations a start must wait for: all that are not online, and the online ones that those come after. */
function isNeededFirst(missing: readonly Migration[]): (migration: Migration) => boolean {
  const awaited = new Set(missing.flatMap(({ isOnline, after }) => (isOnline ? [] : after)))
  return ({ version, isOnline }) => !isOnline || awaited.has(version)
}

/** Functions of newer code stay: older code can call them, and newer code needs them. */
function areCurrent({ functions: applied }: Applied, { version, sha256 }: FunctionSet): boolean {
  return applied !== undefined && (applied.version > version || applied.sha256 === sha256)
}

function requireOwnMigrations(applied: Applied, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.version, migration]))
  for (const migration of applied.migrations) {
    const { version, sha256 } = migration
    if ((known.get(version)?.sha256 ?? sha256) !== sha256)
      throw new DatabaseSetupError(`The migration ${labelOf(migration)} was changed after it was applied. Restore the file.`)
  }
}

/** Older code works on a newer database until a migration says that it may not. */
function requireNewCode(applied: Applied, migrations: readonly Migration[]): void {
  const codeVersion = Math.max(0, ...migrations.map(({ version }) => version))
  const breaking = applied.migrations.find(({ leastCode }) => leastCode > codeVersion)
  if (breaking)
    throw new DatabaseSetupError(
      `This Earshot (${fourDigits(codeVersion)}) is too old for its database: since the migration ${labelOf(breaking)} it needs ${fourDigits(breaking.leastCode)} or newer. Start a newer version.`,
    )
}

function labelOf({ version, name }: { version: number; name: string }): string {
  return `${fourDigits(version)}_${name}`
}

function fourDigits(version: number): string {
  return String(version).padStart(4, '0')
}
