import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { shrinkToProcessorTime } from './budgets/processor-time.ts'

/** The main threads of two pages, and a thread that is none. */
const [PAGE, OTHER_PAGE, WORKER] = [1, 2, 3]
const names = [
  { name: 'thread_name', pid: PAGE, tid: 1, ts: 0, args: { name: 'CrRendererMain' } },
  { name: 'thread_name', pid: OTHER_PAGE, tid: 1, ts: 0, args: { name: 'CrRendererMain' } },
  { name: 'thread_name', pid: WORKER, tid: 1, ts: 0, args: { name: 'ThreadPoolForegroundWorker' } },
]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'earshot-trace-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function shrink(events: object[]) {
  const file = join(folder, 'trace.json')
  writeFileSync(file, JSON.stringify({ traceEvents: [...names, ...events] }))
  const usedMs = shrinkToProcessorTime(file)
  const { traceEvents } = JSON.parse(readFileSync(file, 'utf8'))
  return { usedMs, events: traceEvents.slice(names.length) }
}

test('a task that waited for a processor is as long as it worked, with what happens in it', () => {
  const { usedMs, events } = shrink([
    { name: 'RunTask', pid: PAGE, tid: 1, ts: 1_000, dur: 40_000, tdur: 10_000 },
    { name: 'EvaluateScript', pid: PAGE, tid: 1, ts: 21_000, dur: 20_000, tdur: 5_000 },
    { name: 'Paint', pid: PAGE, tid: 1, ts: 50_000, dur: 100, tdur: 100 },
  ])
  expect(usedMs).toBe(10)
  expect(events).toMatchObject([
    { name: 'RunTask', ts: 1_000, dur: 10_000 },
    { name: 'EvaluateScript', ts: 6_000, dur: 5_000 },
    { name: 'Paint', ts: 50_000, dur: 100 },
  ])
})

test('the busiest page counts, and no other thread', () => {
  const task = (pid: number, tdur: number) => ({ name: 'RunTask', pid, tid: 1, ts: 1_000, dur: tdur, tdur })
  expect(shrink([task(PAGE, 3_000), task(OTHER_PAGE, 7_000), task(WORKER, 90_000)]).usedMs).toBe(7)
})

test('a trace without the processor time of tasks is refused', () => {
  expect(() => shrink([{ name: 'RunTask', pid: PAGE, tid: 1, ts: 1_000, dur: 40_000 }])).toThrow('no task with its processor time')
})
