import { readFileSync, writeFileSync } from 'node:fs'

/** The parts of an event of a trace in use. Times are in microseconds. */
interface TraceEvent {
  name: string
  pid: number
  tid: number
  ts: number
  /** How long it lasted. */
  dur?: number
  /** The processor time of its thread meanwhile. */
  tdur?: number
  args?: { name?: string }
}

const MICROSECONDS = 1_000

/**
 * Shrinks each task of a trace, with what happens in it, to its processor time: a page does not work while other processes have the
 * processor. Returns the processor time of the busiest main thread of a page, in milliseconds.
 */
export function shrinkToProcessorTime(file: string): number {
  const trace: { traceEvents: TraceEvent[] } = JSON.parse(readFileSync(file, 'utf8'))
  const threads = Map.groupBy(trace.traceEvents, ({ pid, tid }) => `${pid} ${tid}`)
  const usedMs = [...threads.values()].map((events) => {
    const used = shrinkTasks(events.toSorted((one, other) => one.ts - other.ts)) / MICROSECONDS
    return events.some(isOfPage) ? used : 0
  })
  const busiest = Math.max(...usedMs)
  if (busiest === 0) throw new Error('The trace has no task with its processor time')
  writeFileSync(file, JSON.stringify(trace))
  return busiest
}

/** Whether an event names its thread as the main one of a page. */
function isOfPage({ name, args }: TraceEvent): boolean {
  return name === 'thread_name' && args?.name === 'CrRendererMain'
}

/** Shrinks the tasks of one thread, whose events are in order. Returns their processor time in microseconds. */
function shrinkTasks(events: readonly TraceEvent[]): number {
  let used = 0
  let task: { ts: number; endTs: number; ratio: number } | undefined
  for (const event of events) {
    const { name, ts, dur, tdur } = event
    if (name === 'RunTask' && dur && tdur !== undefined) {
      task = { ts, endTs: ts + dur, ratio: Math.min(1, tdur / dur) }
      used += tdur
    }
    if (!task || ts >= task.endTs) continue
    event.ts = Math.round(task.ts + (ts - task.ts) * task.ratio)
    if (dur !== undefined) event.dur = Math.round(dur * task.ratio)
  }
  return used
}
