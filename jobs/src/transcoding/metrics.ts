import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { TranscodeOutcome } from './failure.ts'

export interface TranscodingMetrics {
  running: Gauge
  finished: Counter<'outcome'>
  seconds: Histogram
}

const OUTCOMES: readonly TranscodeOutcome[] = ['ready', 'refused', 'failed', 'postponed', 'handed_back', 'lost']

export function createTranscodingMetrics(registry: Registry): TranscodingMetrics {
  const registers = [registry]
  const finished = new Counter({
    name: 'earshot_transcodes_total',
    help: 'Transcodes that this worker ended, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of OUTCOMES) finished.inc({ outcome }, 0)
  return {
    running: new Gauge({ name: 'earshot_transcodes_running', help: 'Videos that this worker transcodes.', registers }),
    finished,
    seconds: new Histogram({
      name: 'earshot_transcode_seconds',
      help: 'Time from the claim of a video to the end of its transcode.',
      buckets: [1, 5, 10, 30, 60, 120, 300, 600, 1800],
      registers,
    }),
  }
}
