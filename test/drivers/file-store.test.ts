import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { BlobSizeError, type BlobStore, BlobStoreError, openFileStore } from '@earshot/drivers'
import { describe, expect, test } from 'vitest'
import { testBlobStore } from './blob-store-conformance.ts'

const UNSHARE = ['--user', '--map-root-user', '--mount']
const INTERRUPTED_PUT = fileURLToPath(new URL('interrupted-put.ts', import.meta.url))
const LIMITED_DISK = fileURLToPath(new URL('limited-disk.ts', import.meta.url))
const MODE = 0o777
const DAY_MS = 86_400_000

// Of Linux, and not of every container there.
const hasMounts = spawnSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0

testBlobStore('a directory', async () => {
  const { store, [Symbol.asyncDispose]: dispose } = await openStore()
  return { ...store, [Symbol.asyncDispose]: dispose }
})

test('blobs are files that only their owner may read', async () => {
  await using opened = await openStore()
  await put(opened.store, 'imports/a/file.csv', 'name,text\n')
  expect(await readFile(join(opened.directory, 'imports/a/file.csv'), 'utf8')).toBe('name,text\n')
  const modes = ['imports/a/file.csv', 'imports/a', 'imports', '.tmp'].map(
    async (path) => (await stat(join(opened.directory, path))).mode & MODE,
  )
  expect(await Promise.all(modes)).toEqual([0o600, 0o700, 0o700, 0o700])
})

test('a put that fails leaves no temporary file', async () => {
  await using opened = await openStore()
  const { store, directory } = opened
  await expect(store.put('a/b', Readable.from([Buffer.alloc(10)]), { sizeBytes: 11 })).rejects.toThrow(BlobSizeError)
  expect(await readdir(join(directory, '.tmp'))).toEqual([])
  expect(await readdir(directory)).toEqual(['.tmp'])
})

test('a process that is killed during a put leaves the old blob', async () => {
  await using opened = await openStore()
  const { store, directory } = opened
  await put(store, 'a/b', 'old')
  const victim = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', INTERRUPTED_PUT, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(victim.stdout, 'data')
  victim.kill('SIGKILL')
  await once(victim, 'exit')
  expect(await readFile(join(directory, 'a/b'), 'utf8')).toBe('old')
  expect(await readdir(join(directory, '.tmp'))).toHaveLength(1)
})

test('what killed processes left is removed after a day, and puts that run are left alone', async () => {
  await using opened = await openStore()
  const { store, directory } = opened
  for (const [name, ageMs] of [
    ['old', DAY_MS + 60_000],
    ['new', DAY_MS - 60_000],
  ] as const) {
    const path = join(directory, '.tmp', name)
    await writeFile(path, 'half a blob')
    await utimes(path, new Date(), new Date(Date.now() - ageMs))
  }
  await store.removeLeftovers()
  expect(await readdir(join(directory, '.tmp'))).toEqual(['new'])
})

test('files that are no blobs are not listed', async () => {
  await using opened = await openStore()
  await put(opened.store, 'a/b', 'text')
  await mkdir(join(opened.directory, 'lost+found'))
  await writeFile(join(opened.directory, 'a/.nfs0001'), '')
  expect(await Array.fromAsync(opened.store.list(''))).toEqual(['a/b'])
})

test('a folder is not a blob, and a blob is not a folder', async () => {
  await using opened = await openStore()
  const { store } = opened
  await put(store, 'a/b', 'text')
  expect([await store.get('a'), await store.size('a'), await store.get('a/b/c'), await store.size('a/b/c')]).toEqual([
    null,
    null,
    null,
    null,
  ])
  await expect(put(store, 'a', 'text')).rejects.toThrow(BlobStoreError)
  await expect(put(store, 'a/b/c', 'text')).rejects.toThrow(BlobStoreError)
  expect(await readdir(join(opened.directory, '.tmp'))).toEqual([])
})

test('a directory that disappears makes the store unavailable', async () => {
  await using opened = await openStore()
  await rm(opened.directory, { recursive: true })
  await expect(opened.store.check()).rejects.toMatchObject({ name: 'BlobStoreError', code: 'unavailable' })
  await expect(put(opened.store, 'a', 'text')).rejects.toMatchObject({ name: 'BlobStoreError', code: 'unavailable' })
  await mkdir(opened.directory)
})

describe.skipIf(!hasMounts)('on a disk of one megabyte', () => {
  test('a full disk and a read-only one are named, and lose no blob', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'earshot-limited-disk-'))
    const command = [process.execPath, '--disable-warning=ExperimentalWarning', LIMITED_DISK, directory]
    const { stdout } = await promisify(execFile)('unshare', [...UNSHARE, ...command])
    await rm(directory, { recursive: true })
    const full = `full: The directory ${directory}/blobs has no space left (ENOSPC).`
    const readOnly = `forbidden: The directory ${directory}/blobs may not be read or written (EROFS).`
    expect(JSON.parse(stdout)).toEqual({
      ...{ fits: 'done', tooLarge: full, replacement: full, kept: 400_000, temporaryFiles: 0, fitsAfterwards: 'done' },
      ...{ checkWithSpace: 'done', fills: 'done', checkWithoutSpace: `full: The directory ${directory}/blobs has no space left.` },
      ...{ putReadOnly: readOnly, deleteReadOnly: readOnly, checkReadOnly: readOnly, readReadOnly: 400_000 },
    })
  })
})

async function openStore(): Promise<{ store: BlobStore; directory: string } & AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), 'earshot-blobs-'))
  const store = await openFileStore(directory)
  return { store, directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
}

function put(store: BlobStore, key: string, text: string): Promise<void> {
  return store.put(key, Readable.from([Buffer.from(text)]), { sizeBytes: Buffer.byteLength(text) })
}
