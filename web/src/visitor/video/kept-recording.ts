import { isRecent, recordingKey } from '../kept.ts'

const DATABASE = 'earshot'
const PIECES = 'pieces'
/** A larger file is chosen again instead: the copy would fill the disk of a phone. */
const MAX_FILE_BYTES = 500_000_000

/** Where a recording is uploaded to. */
export interface Reservation {
  id: string
  upload: { url: string; token: string; max_bytes: number }
}

/** A file that the visitor chose, as far as it can be known again. */
export type ChosenFile = Pick<File, 'name' | 'size' | 'lastModified'>

/** A video that was not sent yet, as this browser keeps it beyond a reload. */
export interface KeptRecording {
  reservation: Reservation | null
  contentType: string
  durationMs: number
  /** Null for a recording. */
  file: ChosenFile | null
  /** Null if the browser could not keep it: then the part that was uploaded is left, and a file can be chosen again. */
  blob: Blob | null
}

interface Note extends Omit<KeptRecording, 'blob'> {
  savedMs: number
}

export interface RecordingStore {
  /** Begins a new recording, or takes a file, and forgets what was before. */
  begin: (contentType: string, file?: ChosenFile) => Promise<void>
  note: (change: Partial<Note>) => void
  keep: (piece: Blob) => Promise<void>
  /** Keeps a whole file, if there is room for it. */
  keepFile: (file: Blob) => Promise<void>
  read: () => Promise<KeptRecording | null>
  clear: () => Promise<void>
}

/** Opens the place for the recording of one form. Where a browser keeps nothing, it forgets. */
export function openRecordingStore(key: string): RecordingStore {
  const noteKey = recordingKey(key)
  let note: Note | null = readNote(noteKey)
  let index = 0
  let isWhole = true
  /** Counts what was begun and deleted: what was waited for meanwhile is of another video. */
  let turn = 0

  /** Returns false where storage is turned off, or full: a reload then loses the recording. */
  const write = () => {
    try {
      if (note) localStorage.setItem(noteKey, JSON.stringify({ ...note, savedMs: Date.now() } satisfies Note))
      else localStorage.removeItem(noteKey)
      return true
    } catch {
      return false
    }
  }
  const clear = async () => {
    turn += 1
    note = null
    write()
    await withPieces('readwrite', (store) => store.delete(rangeOf(key))).catch(() => {})
  }
  const keep = async (piece: Blob) => {
    // The last piece of a recording can come after it was removed.
    if (!isWhole || !note) return
    const own = turn
    index += 1
    const place = [key, index]
    await withPieces('readwrite', (store) => store.put(piece, place)).catch(async () => {
      if (own !== turn) return
      // Without one piece the others are no video.
      isWhole = false
      await withPieces('readwrite', (store) => store.delete(rangeOf(key))).catch(() => {})
    })
  }
  return {
    clear,
    keep,
    keepFile: async (file) => {
      const own = turn
      if ((await hasRoomFor(file)) && own === turn) await keep(file)
    },
    begin: async (contentType, file) => {
      const cleared = clear()
      const own = turn
      await cleared
      if (own !== turn) return
      const chosen = file ? { name: file.name, size: file.size, lastModified: file.lastModified } : null
      note = { reservation: null, contentType, durationMs: 0, file: chosen, savedMs: 0 }
      index = 0
      // Pieces without a note would never be found again.
      isWhole = write()
    },
    note: (change) => {
      if (!note) return
      note = { ...note, ...change }
      write()
    },
    read: async () => {
      if (!note) return null
      const pieces = await withPieces<Blob[]>('readonly', (store) => store.getAll(rangeOf(key))).catch(() => [])
      return { ...note, blob: pieces.length === 0 ? null : new Blob(pieces, { type: note.contentType }) }
    },
  }
}

/** Whether a file was chosen before: the same name alone can be another take. */
export function isSameFile(one: ChosenFile, other: ChosenFile): boolean {
  return one.name === other.name && one.size === other.size && one.lastModified === other.lastModified
}

/** A browser that does not tell how much room there is refuses what does not fit. */
async function hasRoomFor({ size }: Blob): Promise<boolean> {
  const { quota = Number.POSITIVE_INFINITY, usage = 0 } = (await navigator.storage?.estimate().catch(() => null)) ?? {}
  return size <= MAX_FILE_BYTES && size * 2 <= quota - usage
}

function readNote(key: string): Note | null {
  try {
    const note: Note | null = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isRecent(note) ? note : null
  } catch {
    return null
  }
}

/** Deletes the pieces of those forms. */
export async function deletePieces(isOld: (key: string) => boolean): Promise<void> {
  const keys = await withPieces<IDBValidKey[]>('readonly', (store) => store.getAllKeys())
  const names = new Set(keys.flatMap((key) => (Array.isArray(key) && typeof key[0] === 'string' ? [key[0]] : [])))
  for (const name of names) if (isOld(name)) await withPieces('readwrite', (store) => store.delete(rangeOf(name)))
}

function rangeOf(key: string): IDBKeyRange {
  return IDBKeyRange.bound([key, 0], [key, Number.MAX_SAFE_INTEGER])
}

/** Does one request in a transaction of its own, and waits until it is on the disk. */
async function withPieces<Result>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<Result> {
  const database = await openDatabase()
  try {
    const transaction = database.transaction(PIECES, mode)
    const request = work(transaction.objectStore(PIECES))
    return await new Promise<Result>((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
      transaction.onerror = () => reject(transaction.error)
    })
  } finally {
    database.close()
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(PIECES)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(request.error)
  })
}
