import { recordingKey } from '../kept.ts'

const DATABASE = 'earshot'
const PIECES = 'pieces'

/** Where a recording is uploaded to. */
export interface Reservation {
  id: string
  upload: { url: string; token: string; max_bytes: number }
}

/** A recording that was not sent yet, as this browser keeps it beyond a reload. */
export interface KeptRecording {
  reservation: Reservation | null
  contentType: string
  durationMs: number
  /** Null if the browser could not keep it: then the part that was uploaded is left. */
  blob: Blob | null
}

type Note = Omit<KeptRecording, 'blob'>

export interface RecordingStore {
  /** Begins a new recording, and forgets the one before. */
  begin: (contentType: string) => Promise<void>
  note: (change: Partial<Note>) => void
  keep: (piece: Blob) => Promise<void>
  read: () => Promise<KeptRecording | null>
  clear: () => Promise<void>
}

/** Opens the place for the recording of one form. Where a browser keeps nothing, it forgets. */
export function openRecordingStore(key: string): RecordingStore {
  const noteKey = recordingKey(key)
  let note: Note | null = readNote(noteKey)
  let index = 0
  let isWhole = true

  const write = () => {
    try {
      if (note) localStorage.setItem(noteKey, JSON.stringify(note))
      else localStorage.removeItem(noteKey)
    } catch {
      // Turned off, or full: a reload then loses the recording.
    }
  }
  const clear = async () => {
    note = null
    write()
    await withPieces('readwrite', (store) => store.delete(rangeOf(key))).catch(() => {})
  }
  return {
    clear,
    begin: async (contentType) => {
      await clear()
      note = { reservation: null, contentType, durationMs: 0 }
      index = 0
      isWhole = true
      write()
    },
    note: (change) => {
      if (!note) return
      note = { ...note, ...change }
      write()
    },
    keep: async (piece) => {
      if (!isWhole) return
      index += 1
      await withPieces('readwrite', (store) => store.put(piece, [key, index])).catch(async () => {
        // Without one piece the others are no video.
        isWhole = false
        await withPieces('readwrite', (store) => store.delete(rangeOf(key))).catch(() => {})
      })
    },
    read: async () => {
      if (!note) return null
      const pieces = await withPieces<Blob[]>('readonly', (store) => store.getAll(rangeOf(key))).catch(() => [])
      return { ...note, blob: pieces.length === 0 ? null : new Blob(pieces, { type: note.contentType }) }
    },
  }
}

function readNote(key: string): Note | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
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
