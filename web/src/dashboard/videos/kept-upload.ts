import { useSyncExternalStore } from 'react'
import { keep, readKept } from '../kept.ts'

/**
 * An upload that has not ended, as this tab keeps it beyond a reload. The file itself is chosen again: a page may not read it by
 * itself. The tab forgets it when somebody else signs in (kept.ts).
 */
export interface KeptUpload {
  video_id: string
  upload: { url: string; token: string }
  file: { name: string; size: number; lastModified: number }
}

const listeners = new Set<() => void>()
const keyOf = (project_id: string) => `earshot.upload.${project_id}`
let last: { text: string | null; kept: KeptUpload | null } = { text: null, kept: null }

/** Keeps an upload of the project; null forgets it. */
export function keepUpload(project_id: string, kept: KeptUpload | null): void {
  keep('session', keyOf(project_id), kept && JSON.stringify(kept))
  for (const listener of listeners) listener()
}

export function readUpload(project_id: string): KeptUpload | null {
  const text = readKept('session', keyOf(project_id))
  if (text !== last.text) last = { text, kept: parsed(text) }
  return last.kept
}

/** The upload that was interrupted; null without one. */
export function useKeptUpload(project_id: string): KeptUpload | null {
  return useSyncExternalStore(subscribe, () => readUpload(project_id))
}

/** Whether it is the file of the upload, as far as a browser tells. */
export function isSameFile({ file }: KeptUpload, { name, size, lastModified }: File): boolean {
  return file.name === name && file.size === size && file.lastModified === lastModified
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function parsed(text: string | null): KeptUpload | null {
  try {
    // Only `keepUpload` writes under this name.
    return JSON.parse(text ?? 'null') as KeptUpload | null
  } catch {
    return null
  }
}
