import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '@earshot/contracts'

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
  /** Returns what the dashboard, or the pages of visitors, load. Throws `dependency_unavailable` while there is no build. */
  assets: (page: 'dashboard' | 'visitor') => Promise<Assets>
  /** The folder of the built files, and that of the sources. */
  built: string
  sources: string
}

/** A manifest of Vite ("Backend Integration"): entries and chunks by source. */
type Manifest = Record<string, { file: string; isEntry?: boolean; css?: string[]; imports?: string[] }>

/** Opens the pages in the folder of the workspace `web`. A new build replaces them while the service runs. */
export function openBuiltPages(folder: string): BuiltPages {
  const built = join(folder, 'dist')
  const manifests = new Map<string, { builtMs: number; assets: Assets }>()
  return {
    built,
    sources: join(folder, 'src'),
    async assets(page) {
      const path = join(built, `${page}.json`)
      const builtMs = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => null,
      )
      if (builtMs === null) throw beingBuilt()
      const known = manifests.get(page)
      if (known?.builtMs === builtMs) return known.assets
      const assets = assetsOf(await readManifest(path))
      manifests.set(page, { builtMs, assets })
      return assets
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

function assetsOf(manifest: Manifest): Assets {
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry)
  if (!entry) throw new Error('The build has no entry')
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
