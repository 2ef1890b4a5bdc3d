import { EncodedPacket } from 'mediabunny'
import { type CodecContext, type Dictionary, type Frame, Packet } from 'node-av/lib'

/** Encodes frames of one track. */
export interface Encoder {
  /** Encodes a frame, or with null what is left. */
  encode: (frame: Frame | null) => EncodedPacket[]
  context: CodecContext
}

/** Opens an encoder. `frameSeconds` is the length of a frame that the encoder does not say. Throws if FFmpeg refuses. */
export function openEncoder(context: CodecContext, options: Dictionary | null, frameSeconds: number): Encoder {
  const status = context.open2Sync(null, options)
  if (status < 0) throw new Error(`The encoder cannot be opened (${status}).`)
  const packet = new Packet()
  packet.alloc()
  const unit = context.timeBase.toDouble()
  function encode(frame: Frame | null): EncodedPacket[] {
    const sent = context.sendFrameSync(frame)
    if (sent < 0 && frame !== null) throw new Error(`A frame cannot be encoded (${sent}).`)
    const results: EncodedPacket[] = []
    while (context.receivePacketSync(packet) >= 0) {
      const duration = packet.duration > 0n ? Number(packet.duration) * unit : frameSeconds
      const data = new Uint8Array(packet.data ?? [])
      results.push(new EncodedPacket(data, packet.isKeyframe ? 'key' : 'delta', Number(packet.pts) * unit, duration))
      packet.unref()
    }
    return results
  }
  return { encode, context }
}
