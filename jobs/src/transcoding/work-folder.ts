import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'

const NAME = /^transcode-(\d+)-/
/** What is left free for others. */
const SPARE_BYTES = 200 * 1024 * 1024

/** Makes a folder for one transcode, under the id of this process. */
export async function makeWorkFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 })
  return mkdtemp(join(parent, `transcode-${process.pid}-`))
}

/** Removes the folders of processes of this machine that have died. */
export async function removeDeadFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = Number(NAME.exec(name)?.[1] ?? Number.NaN)
    if (!Number.isNaN(pid) && !isAlive(pid)) await rm(join(parent, name), { recursive: true, force: true })
  }
}

/** Whether so many bytes fit on the disk of a folder, with some to spare. */
export async function hasSpace(folder: string, bytes: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize >= bytes + SPARE_BYTES
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user lives too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
