import { type EncodedPacket, EncodedPacketSink, type InputTrack } from 'mediabunny'

/**
 * Reads the packets of a track in decoding order. It ends where the file ends or cannot be read on: what came before is
 * worth a clip.
 */
export async function* readPackets(track: InputTrack): AsyncGenerator<EncodedPacket> {
  const packets = new EncodedPacketSink(track).packets()
  while (true) {
    const next = await packets.next().catch(() => null)
    if (next === null || next.done) return
    yield next.value
  }
}
