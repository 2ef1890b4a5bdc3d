import { FilterGraph, Frame, type Rational } from 'node-av/lib'

/** A chain of filters between two codecs. */
export interface FilterChain {
  /** Filters a frame, or with null what is left. Each result is valid until the next is asked for. */
  push: (frame: Frame | null) => Generator<Frame>
  /** The unit of the times of the results. */
  timeBase: Rational
  close: () => void
}

const SINKS = { buffer: 'buffersink', abuffer: 'abuffersink' } as const

/** What frames a chain gets: `options` are those of FFmpeg's filters `buffer` (pictures) and `abuffer` (sound). */
export interface ChainSource {
  kind: keyof typeof SINKS
  options: string
}

/** Opens a chain of filters. Throws if FFmpeg refuses one. */
export function openFilterChain(source: ChainSource, filters: readonly string[]): FilterChain {
  const graph = new FilterGraph()
  graph.alloc()
  graph.nbThreads = 1
  const { kind, options } = source
  const status = graph.parsePtr([`${kind}@in=${options}`, ...filters, `${SINKS[kind]}@out`].join(','))
  if (status < 0) throw new Error(`The filters cannot be parsed (${status}).`)
  const configured = graph.configSync()
  if (configured < 0) throw new Error(`The filters cannot be connected (${configured}).`)
  const input = graph.getFilter(`${kind}@in`)
  const output = graph.getFilter(`${SINKS[kind]}@out`)
  if (input === null || output === null) throw new Error('The filters have no ends.')
  const result = new Frame()
  result.alloc()
  function* push(frame: Frame | null): Generator<Frame> {
    const added = input?.buffersrcAddFrameSync(frame) ?? -1
    if (added < 0 && frame !== null) throw new Error(`A frame cannot be filtered (${added}).`)
    while ((output?.buffersinkGetFrameSync(result) ?? -1) >= 0) {
      yield result
      result.unref()
    }
  }
  return { push, timeBase: output.buffersinkGetTimeBase(), close: () => graph.free() }
}
