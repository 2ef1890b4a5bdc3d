import type { EncodedPacket } from 'mediabunny'

/** Converts one track of the file into a track of the clip, packet by packet. */
export interface Pipeline<Config> {
  /** The time in the clip that the source has been read to, in seconds; `Infinity` at its end. */
  position: () => number
  /** Reads one packet of the source. Returns what came out of the encoder, in decoding order. */
  advance: () => Promise<EncodedPacket[]>
  /** What players must know of the track; null before the first packet came out. */
  config: () => Config | null
}
