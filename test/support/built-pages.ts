import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isBuilt } from '@earshot/web/build'

/** Builds the pages, unless they are built from the sources as they are. */
export function buildPages(): void {
  if (!isBuilt()) execFileSync(process.execPath, [fileURLToPath(import.meta.resolve('@earshot/web/build'))], { stdio: 'pipe' })
}
