import { SLICES, visitSlices } from './grams.ts'

/** A record with the text that searches find it by, folded. */
export interface IndexedText {
  id: string
  text: string
}

/** What a segment stores of its records. */
export interface SegmentContent {
  record_count: number
  ids: Buffer
  bits: Buffer
}

/** A segment of some records while their texts are added to it. */
export interface SegmentBuilder {
  /** A record that the segment does not have is ignored. */
  add: (record: IndexedText) => void
  content: SegmentContent
}

/** Begins a segment of the records with these ids, oldest first. Its slices are bytes of one bit per record, newest first. */
export function buildSegment(ids: readonly string[]): SegmentBuilder {
  const newestFirst = ids.toReversed()
  const positions = new Map(newestFirst.map((id, position) => [id, position]))
  const width = widthOf(ids.length)
  const bits = Buffer.alloc(SLICES * width)
  return {
    add({ id, text }) {
      const position = positions.get(id)
      if (position === undefined) return
      visitSlices(text, (slice) => {
        const at = slice * width + (position >> 3)
        bits[at] = (bits[at] as number) | (0x80 >> (position & 7))
      })
    },
    content: { record_count: ids.length, ids: Buffer.from(newestFirst.join('').replaceAll('-', ''), 'hex'), bits },
  }
}

/** The bytes of a slice. */
function widthOf(recordCount: number): number {
  return (recordCount + 7) >> 3
}

/** Returns the positions from `first` on whose bits are set in each of some slices, which follow each other in a buffer. */
export function positionsIn(slices: Buffer, { record_count, first }: { record_count: number; first: number }): number[] {
  const width = widthOf(record_count)
  const positions: number[] = []
  for (let byte = first >> 3; byte < width; byte += 1) {
    let bits = 0xff
    for (let at = byte; at < slices.length && bits !== 0; at += width) bits &= slices[at] as number
    for (let bit = 0; bit < 8; bit += 1) if (bits & (0x80 >> bit)) positions.push(byte * 8 + bit)
  }
  return positions.filter((position) => position >= first)
}
