import { mkdir, mkdtemp, readdir, rm, stat, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'

const PREFIX = 'transcode-'
/** What is left free for others. */
const SPARE_BYTES = 200 * 1024 * 1024
/** A folder that its worker has not touched for so long is left over. A worker that slept for so long has lost its video. */
const DEAD_MS = 600_000

/** Makes a folder for one transcode. It stays as long as it is touched. */
export async function makeWorkFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 })
  return mkdtemp(join(parent, PREFIX))
}

/** Shows other workers that a folder is in use. */
export async function touchWorkFolder(folder: string): Promise<void> {
  const now = new Date()
  await utimes(folder, now, now)
}

/**
 * Removes the folders of workers that have died. Times tell them, not process ids: those mean nothing to another container, and
 * a new process can have the id of the one that died.
 */
export async function removeDeadFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(PREFIX)) continue
    const folder = join(parent, name)
    // Another worker may remove it at the same time.
    const touched = await stat(folder).catch(() => null)
    if (touched && Date.now() - touched.mtimeMs > DEAD_MS) await rm(folder, { recursive: true, force: true })
  }
}

/** Whether so many bytes fit on the disk of a folder, with some to spare. */
export async function hasSpace(folder: string, bytes: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize >= bytes + SPARE_BYTES
}
