import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a directory that PostgreSQL's account can enter too; disposing it removes it. */
export function createTemporaryDirectory(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'earshot-bench-'))
  chmodSync(path, 0o711)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
