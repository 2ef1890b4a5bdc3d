import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '@earshot/contracts'
import { sourcesOf } from '../pages/web-sources.ts'

/** How long a build takes, about. */
const RETRY_AFTER_SECONDS = 5
const BEING_BUILT = 'The pages are being built. Reload this page in a few seconds. The API is available.'

/** What a page loads, by address. */
export interface Assets {
  script: string
  styles: string[]
  /** Scripts that the first one imports, to be loaded beside it. */
  imports: string[]
}

/** The pages as the last build left them. */
export interface BuiltPages {
  /**
   * Returns what the dashboard, the preview of a survey or a page of visitors loads. A build with several entries names them by their source. Throws
   * `dependency_unavailable` while there is no build.
   */
  assets: (page: 'dashboard' | 'preview' | 'visitor', source?: string) => Promise<Assets>
  /** Returns the same for a page of the dashboard by its path below `/app`, with what the page itself needs. */
  assetsAt: (path: string) => Promise<Assets>
  /** The folder of the built files, and that of the sources. */
  built: string
  sources: string
}

/** A manifest of Vite ("Backend Integration"): entries and chunks by source. Pages of the dashboard have their paths, such as `/$team`. */
type Manifest = Record<string, Chunk>

interface Chunk {
  file: string
  isEntry?: boolean
  css?: string[]
  imports?: string[]
  dynamicImports?: string[]
  paths?: string[]
}

/** Opens the pages in the folder of the workspace `web`. A new build replaces them while the service runs. */
export function openBuiltPages(folder: string): BuiltPages {
  const built = join(folder, 'dist')
  const manifests = new Map<string, { builtMs: number; manifest: Manifest }>()
  const manifestOf = async (page: string): Promise<Manifest> => {
    const path = join(built, `${page}.json`)
    const builtMs = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    )
    if (builtMs === null) throw beingBuilt()
    const known = manifests.get(page)
    if (known?.builtMs === builtMs) return known.manifest
    const manifest = await readManifest(path)
    manifests.set(page, { builtMs, manifest })
    return manifest
  }
  return {
    built,
    sources: sourcesOf(folder),
    async assets(page, source) {
      const manifest = await manifestOf(page)
      return assetsOf(manifest, [source ?? entryOf(manifest)])
    },
    async assetsAt(path) {
      const manifest = await manifestOf('dashboard')
      const entry = entryOf(manifest)
      const page = sourceAt(manifest, path)
      // The entry loads the app once the document is painted.
      return assetsOf(manifest, [entry, ...(manifest[entry]?.dynamicImports ?? []), ...(page === null ? [] : [page])])
    },
  }
}

/** What a request gets while there is no build. */
export function beingBuilt(): ApiError {
  return new ApiError('dependency_unavailable', { detail: BEING_BUILT, retryAfterSeconds: RETRY_AFTER_SECONDS })
}

async function readManifest(path: string): Promise<Manifest> {
  return JSON.parse(await readFile(path, 'utf8')) // A build wrote it.
}

function entryOf(manifest: Manifest): string {
  return Object.keys(manifest).find((name) => manifest[name]?.isEntry) ?? ''
}

/** Returns the page at a path; null where there is none. A name beats a parameter, as in the router. */
function sourceAt(manifest: Manifest, path: string): string | null {
  const given = segmentsOf(path)
  const fitting = Object.entries(manifest).flatMap(([source, { paths = [] }]) =>
    paths.map(segmentsOf).flatMap((wanted) => {
      const isFitting = wanted.length === given.length && wanted.every((part, index) => part.startsWith('$') || part === given[index])
      return isFitting ? [{ source, parameters: wanted.filter((part) => part.startsWith('$')).length }] : []
    }),
  )
  return fitting.sort((a, b) => a.parameters - b.parameters)[0]?.source ?? null
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '')
}

/** The first source is the script of the page; all others are loaded beside it. */
function assetsOf(manifest: Manifest, sources: readonly string[]): Assets {
  const names = new Set<string>()
  const add = (name: string): void => {
    if (names.has(name)) return
    names.add(name)
    for (const imported of manifest[name]?.imports ?? []) add(imported)
  }
  for (const source of sources) add(source)
  const [entry, ...others] = [...names].flatMap((name) => manifest[name] ?? [])
  if (!entry) throw new Error('The build has no such entry')
  return {
    script: addressOf(entry.file),
    styles: [entry, ...others].flatMap(({ css = [] }) => css).map(addressOf),
    imports: others.map(({ file }) => addressOf(file)),
  }
}

function addressOf(file: string): string {
  return `/assets/${file}`
}
