import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileError } from './file-error.ts'

/** A JSON file that only its owner can read. */
export interface PrivateFile {
  path: string
  /** Returns its JSON; undefined if there is none, or it cannot be read. */
  read: () => unknown
  /** Throws a FileError when it cannot, as on a full disk. */
  write: (value: object) => void
  remove: () => void
}

export function openPrivateFile(path: string): PrivateFile {
  return {
    path,
    read: () => readJson(path),
    write: (value) => {
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        // Written whole, then renamed: a killed run leaves the previous file.
        writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(value)}\n`, { mode: 0o600 })
        renameSync(`${path}.${process.pid}`, path)
      } catch (error) {
        throw fileError(path, error)
      }
    },
    remove: () => rmSync(path, { force: true }),
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
