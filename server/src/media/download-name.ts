/** Control characters, and those that turn the direction of text: with them, a name can look like another one. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu
const EXTENSION = /\.\w{1,5}$/
const EDGES = /^[\s.]+|[\s.]+$/g

/** Returns the name of a file that can be saved: without folders, extension and unseen characters, and no hidden one. */
export function downloadName(fileName: string): string {
  const own = fileName.split(/[\\/]/).at(-1) ?? ''
  return own.replace(UNSEEN, ' ').replace(EXTENSION, '').replace(EDGES, '') || 'video'
}
