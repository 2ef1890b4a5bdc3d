import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { InlineConfig, Rolldown } from 'vite'
import { pagePathsOf } from './page-paths.ts'
import { hashSources } from './sources.ts'

const ROOT = dirname(fileURLToPath(import.meta.url))
const BUILT = join(ROOT, 'dist')
/** The last file that a build writes: what it was made from, and its files. */
const STAMP = 'build.json'
/** What the pages are made from. The lock file has the versions of packages. */
const SOURCES = [
  ...[
    'src',
    'build.ts',
    'page-paths.ts',
    'sources.ts',
    'package.json',
    '../contracts/src',
    '../examples/receivers',
    '../package-lock.json',
  ],
  ...['../server/src/web/markup', '../server/src/pages/html.ts'],
]
const PREVIEW_ENTRY = 'src/survey-preview/main.ts'
const DASHBOARD_ENTRY = 'src/dashboard/main.ts'
const VISITOR_ENTRIES = ['src/visitor/collection.ts', 'src/visitor/survey.ts']
const EMBED_ENTRY = 'src/embed/main.ts'
const PLAYER_ENTRY = 'src/embed/player.ts'
const ENTRIES = [DASHBOARD_ENTRY, ...VISITOR_ENTRIES, PREVIEW_ENTRY, EMBED_ENTRY, PLAYER_ENTRY]
const DASHBOARD_MANIFEST = 'dashboard.json'
const VISITOR_MANIFEST = 'visitor.json'
const PREVIEW_MANIFEST = 'preview.json'
const EMBED = 'embed.js'
const PLAYER = /^embed-player-[\w-]{8}\.js$/
/** The names that every build has, in the order in which they are replaced. The encodings of a file come before it. */
const LASTING = [DASHBOARD_MANIFEST, VISITOR_MANIFEST, PREVIEW_MANIFEST, EMBED].flatMap((name) => [`${name}.br`, `${name}.gz`, name])
/** What the service reads of the sources as they are. A build brings it along, so that `dist/` is enough. */
const READ_AS_IS = ['favicon.svg', 'locales', 'styles', 'embed/card.css', 'embed/words.json']
/** What is younger may be that of another build that runs beside this one. */
const LONGEST_BUILD_MS = 10 * 60_000
const COMPRESSED = /\.(js|css|html|svg|json)$/
/** What every page of the dashboard is made of, beside packages. */
const SHELL = [
  'contracts/src/client/(client|errors|operations?|reply|request|retry|statuses|stream|watchdog)',
  'dashboard/ui/(back-link|button|confirm|dialog|draft|empty|error-\\w+|face|field|hue|icon|kbd|kept-fields|loaded|loading-bar|menu|more|names|numbers|page|skeleton|stars|time|toasts)',
  'dashboard/(shell|live)/[\\w-]+',
  'dashboard/inbox/(batches|colleagues|decisions|lists|matching|not-sent|reject-dialog|shortcuts|single-keys|use-counts|use-keys)',
  'dashboard/(?!(?:main|reload-when-outdated|theme|kept|keep-focus)\\.)[\\w-]+',
]
/**
 * What every page of the dashboard loads, in two files instead of twenty: over HTTP/1.1 a browser asks for six at once. The packages
 * change more seldom, so an upgrade of the service leaves them in the browser's cache.
 */
const SHARED = [
  // Runs before the first paint, so it must not wait for the others.
  { name: 'main', test: /vite\/preload-helper|dashboard\/(main|reload-when-outdated|theme|kept|keep-focus)\.ts/, priority: 1 },
  { name: 'packages', test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(?!react-virtual|virtual-core)[\w-]+)\// },
  { name: 'shell', test: new RegExp(`/(${SHELL.join('|')})\\.tsx?$`) },
]
/** A smaller file gains nothing. */
const MIN_COMPRESSED_BYTES = 1_024

interface Stamp {
  /** A hash of the sources. */
  sources: string
  files: string[]
  /** The files of the build before this one. */
  previousFiles: string[]
}

/** The folder of the pages: `src/` is read as it is, `dist/` is what a build wrote, with a copy of what is read. */
export const webFolder = ROOT

/** Whether the pages are built from the sources as they are now, or cannot be built because an image has no sources. */
export function isBuilt(): boolean {
  const stamp = readStamp()
  if (!ENTRIES.every(exists)) return true
  // With a part of the sources, such as an image without the lock file, nobody can tell whether they have changed.
  if (!SOURCES.every(exists)) return stamp !== null
  return stamp?.sources === hashSources(ROOT, SOURCES)
}

/**
 * Builds all pages into `dist/`. Whoever reads it meanwhile gets the old build or the new one, and open pages get the files of the
 * old one afterwards. Several builds may run at once: the last one to end wins.
 */
async function buildPages(): Promise<void> {
  const { build } = await import('vite')
  const sources = hashSources(ROOT, SOURCES)
  mkdirSync(BUILT, { recursive: true })
  const folder = mkdtempSync(join(BUILT, 'new-'))
  try {
    for (const config of [dashboard(folder), visitor(folder), preview(folder), player(folder)]) await build(config)
    await build(embed(folder))
    addPaths(folder)
    compress(folder)
    publish(folder, sources)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Adds the files whose names have a hash, then replaces the others one by one, then deletes what no page loads any more. */
function publish(folder: string, sources: string): void {
  const files = readdirSync(folder).sort()
  const last = readStamp()
  // The same build again, also by another process, must not take the place of the one before.
  const isSame = last?.files.join() === files.join()
  const previousFiles = (isSame ? last?.previousFiles : last?.files) ?? []
  writeFileSync(join(folder, STAMP), JSON.stringify({ sources, files, previousFiles } satisfies Stamp))
  const hashed = files.filter((name) => !LASTING.includes(name))
  for (const name of [...hashed, ...LASTING.filter((name) => files.includes(name)), STAMP])
    renameSync(join(folder, name), join(BUILT, name))
  for (const name of READ_AS_IS) cpSync(join(ROOT, 'src', name), join(BUILT, 'src', name), { recursive: true })
  deleteOthers(new Set([...files, ...previousFiles, STAMP, 'src']))
}

/** Deletes the files of older builds, and the folders of builds that were killed. */
function deleteOthers(kept: ReadonlySet<string>): void {
  for (const name of readdirSync(BUILT).filter((name) => !kept.has(name))) {
    const path = join(BUILT, name)
    // Another build may have deleted it.
    const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (changedMs < Date.now() - LONGEST_BUILD_MS) rmSync(path, { recursive: true, force: true })
  }
}

/** Returns null without a build, and for one that cannot be read. */
function readStamp(): Stamp | null {
  try {
    // A build wrote it; one of an older version has no lists.
    const { sources, files = [], previousFiles = [] } = JSON.parse(readFileSync(join(BUILT, STAMP), 'utf8')) as Partial<Stamp>
    return sources === undefined ? null : { sources, files, previousFiles }
  } catch {
    return null
  }
}

function exists(source: string): boolean {
  return existsSync(join(ROOT, source))
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
    build: {
      ...config.build,
      manifest: DASHBOARD_MANIFEST,
      rolldownOptions: { input: join(ROOT, DASHBOARD_ENTRY), onLog, output: { codeSplitting: { groups: SHARED } } },
    },
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
      manifest: VISITOR_MANIFEST,
      rolldownOptions: { input: VISITOR_ENTRIES.map((name) => join(ROOT, name)) },
    },
  }
}

/** What shows a survey on the dashboard as visitors get it. On its own, so that visitors load nothing for it. */
function preview(folder: string): InlineConfig {
  const config = common(folder)
  return {
    ...config,
    build: { ...config.build, manifest: PREVIEW_MANIFEST, rolldownOptions: { input: join(ROOT, PREVIEW_ENTRY) } },
  }
}

/** What plays videos on websites: the script below loads it when it is needed. */
function player(folder: string): InlineConfig {
  const config = common(folder)
  return {
    ...config,
    build: {
      ...config.build,
      rolldownOptions: {
        input: join(ROOT, PLAYER_ENTRY),
        // Another script imports it by name.
        preserveEntrySignatures: 'strict',
        output: { format: 'es', entryFileNames: 'embed-player-[hash].js' },
      },
    },
  }
}

/** The one script that websites load. Its address has no hash. */
function embed(folder: string): InlineConfig {
  const config = common(folder)
  return {
    ...config,
    define: { PLAYER: JSON.stringify(readdirSync(folder).find((name) => PLAYER.test(name))) },
    build: {
      ...config.build,
      manifest: false,
      rolldownOptions: {
        input: join(ROOT, EMBED_ENTRY),
        output: { format: 'iife', entryFileNames: EMBED },
      },
    },
  }
}

/** React's packages mark what runs in browsers, which is all of this. */
const onLog: NonNullable<Rolldown.InputOptions['onLog']> = (level, log, print) => {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') print(level, log)
}

/** Adds to the manifest of the dashboard where each page is. */
function addPaths(folder: string): void {
  const path = join(folder, DASHBOARD_MANIFEST)
  const manifest: Record<string, object> = JSON.parse(readFileSync(path, 'utf8')) // Vite wrote it.
  for (const [source, paths] of pagePathsOf(readFileSync(join(ROOT, 'src/dashboard/router.tsx'), 'utf8'))) {
    const page = manifest[`dashboard/${source}`]
    if (!page) throw new Error(`The build has no page ${source}`)
    Object.assign(page, { paths })
  }
  writeFileSync(path, JSON.stringify(manifest))
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

if (import.meta.main && !isBuilt()) await buildPages()
