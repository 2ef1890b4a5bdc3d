import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory that PostgreSQL's account can reach too; it goes with the scope that made it. */
export function makeTemporaryDirectory(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'earshot-bench-'))
  chmodSync(path, 0o711)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
