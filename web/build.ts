import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { InlineConfig, Rolldown } from 'vite'

const ROOT = dirname(fileURLToPath(import.meta.url))
const BUILT = join(ROOT, 'dist')
/** The last file that a build writes: what it was made from. */
const STAMP = 'build.json'
/** What the pages are made from, beside the versions of packages. */
const SOURCES = ['src', 'build.ts', 'package.json', '../contracts/src', '../examples/receivers']
const VISITOR_ENTRIES = ['collection.ts', 'survey.ts']
const COMPRESSED = /\.(js|css|html|svg|json)$/
/** A smaller file gains nothing. */
const MIN_COMPRESSED_BYTES = 1_024

/** The folder of the pages: `src/` is read as it is, `dist/` is what a build wrote. */
export const webFolder = ROOT

/** Whether the pages are built from the sources as they are now. */
export function isBuilt(): boolean {
  const stamp = join(BUILT, STAMP)
  if (!existsSync(stamp)) return false
  // A build wrote it.
  const { sources } = JSON.parse(readFileSync(stamp, 'utf8')) as { sources: string }
  return sources === hashSources()
}

/** Builds all pages into `dist/`, which is replaced at once: whoever reads it meanwhile sees the old build or the new one. */
async function buildPages(): Promise<void> {
  const { build } = await import('vite')
  const sources = hashSources()
  const folder = `${BUILT}.${process.pid}`
  mkdirSync(folder, { recursive: true })
  try {
    for (const config of [dashboard(folder), visitor(folder), embed(folder)]) await build(config)
    compress(folder)
    writeFileSync(join(folder, STAMP), JSON.stringify({ sources }))
    replaceBuilt(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function replaceBuilt(folder: string): void {
  const old = `${folder}.old`
  if (existsSync(BUILT)) renameSync(BUILT, old)
  renameSync(folder, BUILT)
  rmSync(old, { recursive: true, force: true })
}

function common(folder: string): InlineConfig {
  return {
    root: join(ROOT, 'src'),
    base: '/assets/',
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: false,
      assetsDir: '.',
      assetsInlineLimit: 0,
      target: ['chrome123', 'firefox128', 'safari17.5'],
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1_000,
    },
  }
}

/** The single-page app for teams. */
function dashboard(folder: string): InlineConfig {
  const config = common(folder)
  return {
    ...config,
    oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
    build: { ...config.build, manifest: 'dashboard.json', rolldownOptions: { input: join(ROOT, 'src/dashboard/main.tsx'), onLog } },
  }
}

/** What makes the pages of visitors more than forms. */
function visitor(folder: string): InlineConfig {
  const config = common(folder)
  return {
    ...config,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      ...config.build,
      manifest: 'visitor.json',
      rolldownOptions: { input: VISITOR_ENTRIES.map((name) => join(ROOT, 'src/visitor', name)) },
    },
  }
}

/** The one script that websites load. Its address has no hash. */
function embed(folder: string): InlineConfig {
  const config = common(folder)
  return {
    ...config,
    build: {
      ...config.build,
      manifest: false,
      rolldownOptions: {
        input: join(ROOT, 'src/embed/main.ts'),
        output: { format: 'iife', entryFileNames: 'embed.js' },
      },
    },
  }
}

/** React's packages mark what runs in browsers, which is all of this. */
const onLog: NonNullable<Rolldown.InputOptions['onLog']> = (level, log, print) => {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') print(level, log)
}

/** Writes what browsers accept beside each file, because the service compresses nothing. */
function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!COMPRESSED.test(name) || statSync(path).size < MIN_COMPRESSED_BYTES) continue
    const bytes = readFileSync(path)
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
  }
}

function hashSources(): string {
  const hash = createHash('sha256')
  for (const path of SOURCES.flatMap((source) => filesOf(join(ROOT, source))))
    hash.update(path.slice(ROOT.length)).update(readFileSync(path))
  return hash.digest('hex')
}

/** What is missing has no files: the service must start without the sources of its pages, too. */
function filesOf(path: string): string[] {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .sort()
}

if (import.meta.main && !isBuilt()) await buildPages()
