import { uploadImportFile } from '@earshot/contracts/client'
import { sizes } from '@earshot/contracts/constants'
import { api } from '../api.ts'
import { keepHead, readHead } from './file-head.ts'
import type { inputOf } from './options.ts'

/** JSON writes some characters longer than the file does. */
const BODY_BYTES = 2_000_000

interface Sending {
  ref: { team_id: string; project_id: string }
  file: File
  signal?: AbortSignal
  /** The mapping and other options, when the file was sent before. */
  options?: Partial<ReturnType<typeof inputOf>>
}

/** The files of this page's dry runs: the service keeps none that it could not read. */
const files = new Map<string, File>()

/** The file of a dry run, if it was chosen since the page was loaded. */
export function fileOf(importId: string): File | undefined {
  return files.get(importId)
}

/** Sends a file for a dry run, in the request if it is small, else by an upload. Returns the id of the import. */
export async function sendFile({ ref, file, signal, options }: Sending): Promise<string> {
  const head = await readHead(file)
  const csv = await readSmall(file)
  const common = { ...ref, target: 'testimonials', ...options, file_name: file.name.slice(0, 200) || 'file.csv', dry_run: true } as const
  const created = await api.imports.create({ ...common, ...(csv === null ? { size_bytes: file.size } : { csv }) }, { signal })
  files.set(created.id, file)
  keepHead(created.id, head)
  if (csv !== null) return created.id
  await uploadImportFile({ baseUrl: location.origin }, created, file, { signal })
  await api.imports.complete({ ...ref, import_id: created.id }, { signal })
  return created.id
}

/** The text of a file that fits into a request; null for others, and for those in another encoding, which the service detects. */
async function readSmall(file: File): Promise<string | null> {
  if (file.size > sizes.importInlineBytes) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer())
    const isPlain = !text.includes('\0') && new Blob([JSON.stringify(text)]).size <= BODY_BYTES
    return isPlain ? text : null
  } catch {
    return null
  }
}
