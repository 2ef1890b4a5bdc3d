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
   * Returns what the dashboard, or a page of visitors, loads. A build with several entries names them by their source. Throws
   * `dependency_unavailable` while there is no build.
   */
  assets: (page: 'dashboard' | 'visitor', source?: string) => Promise<Assets>
  /** The folder of the built files, and that of the sources. */
  built: string
  sources: string
}

/** A manifest of Vite ("Backend Integration"): entries and chunks by source. */
type Manifest = Record<string, { file: string; isEntry?: boolean; css?: string[]; imports?: string[] }>

/** Opens the pages in the folder of the workspace `web`. A new build replaces them while the service runs. */
export function openBuiltPages(folder: string): BuiltPages {
  const built = join(folder, 'dist')
  const manifests = new Map<string, { builtMs: number; manifest: Manifest }>()
  return {
    built,
    sources: sourcesOf(folder),
    async assets(page, source) {
      const path = join(built, `${page}.json`)
      const builtMs = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => null,
      )
      if (builtMs === null) throw beingBuilt()
      const known = manifests.get(page)
      if (known?.builtMs === builtMs) return assetsOf(known.manifest, source)
      const manifest = await readManifest(path)
      manifests.set(page, { builtMs, manifest })
      return assetsOf(manifest, source)
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

function assetsOf(manifest: Manifest, source: string | undefined): Assets {
  const entry = source === undefined ? Object.values(manifest).find(({ isEntry }) => isEntry) : manifest[source]
  if (!entry) throw new Error('The build has no such entry')
  const chunks = (entry.imports ?? []).flatMap((name) => manifest[name] ?? [])
  return {
    script: addressOf(entry.file),
    styles: [entry, ...chunks].flatMap(({ css = [] }) => css).map(addressOf),
    imports: chunks.map(({ file }) => addressOf(file)),
  }
}

function addressOf(file: string): string {
  return `/assets/${file}`
}
