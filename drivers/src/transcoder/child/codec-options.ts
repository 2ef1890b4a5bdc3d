import { Dictionary } from 'node-av/lib'

/**
 * Opening a codec frees the dictionary of its options, and collecting the object as garbage frees it again (node-av 6.1.1):
 * none is ever collected. A process opens a few codecs.
 */
const kept: Dictionary[] = []

/** Options of a codec, by FFmpeg's names. */
export function codecOptions(values: Record<string, string | number>): Dictionary {
  const options = Dictionary.fromObject(values)
  kept.push(options)
  return options
}
