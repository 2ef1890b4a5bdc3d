import { contracts, listOperations, sizes } from '@earshot/contracts'
import { compileInput } from '../../../server/src/http/input.ts'
import { readJson } from '../../../server/src/http/json-body.ts'
import { type PartReport, table } from '../report.ts'

/** The goal for a megabyte, in processor time; on a slow machine, in passes over its bytes, of which eleven took it when it was set. */
const GOAL_MS = 10
const GOAL_PASSES = 11

/** As long as the bytes of all keys allow. */
const KEY = 'k'.repeat(sizes.jsonKeyBytes / sizes.jsonKeys - 6)

/** Bodies of a megabyte that cost as much as possible, each in another step: counting, parsing, walking, checking the fields. */
const hostile: Record<string, string> = {
  'a list of zeros': filled('{"a":[', () => '0', ']}'),
  'a list of zeros in metadata': filled('{"metadata":{"a":[', () => '0', ']}}'),
  'a list of objects': filled('{"a":[', () => '{}', ']}'),
  'a list of lists': filled('{"a":[', () => '[]', ']}'),
  'a list of empty strings': filled('{"a":[', () => '""', ']}'),
  'zeros as tags': filled('{"tags":[', () => '0', ']}'),
  'unknown fields': filled('{', (number) => `"${number}":0`, '}'),
  'keys of metadata': filled('{"metadata":{', (number) => `"${number}":0`, '}}'),
  'nested lists': filled('{"a":[', () => `${'['.repeat(29)}${']'.repeat(29)}`, ']}'),
  'as many values as are allowed, large ones': spread(['{"metadata":{"a":[', ']}}'], sizes.jsonValues, () => ['0.', '3', '']),
  'as many tags as are allowed, large ones': spread(['{"tags":[', ']}'], sizes.jsonValues, () => ['"', 'x', '"']),
  'large keys': spread(['{"metadata":{', '}}'], sizes.jsonKeys, (number) => [`"${number}`, 'k', '":0']),
  'as many keys as are allowed, with large texts': spread(['{"metadata":{', '}}'], sizes.jsonKeys, (number) => [
    `"${number}${KEY}":"`,
    'x',
    '"',
  ]),
  'as many unknown fields as are allowed, with large texts': spread(['{', '}'], sizes.jsonKeys, (number) => [
    `"${number}${KEY}":"`,
    'x',
    '"',
  ]),
  'many objects that look like a prototype': spread(['{"a":[', ']}'], sizes.jsonKeys, () => ['{"constructor":"', 'k', '"}']),
  'one text': padded('{"body":"', 'x', '"}'),
  'one text of escapes': padded('{"body":"', '\\"', '"}'),
  'an e-mail address of many labels': padded('{"author":{"name":"A","email":"', 'a.', '"}}'),
  'an address of many parts': padded('{"author":{"name":"A","avatar_url":"https://a', '/:80', ' "}}'),
  'a language of many parts': padded('{"language":"en', '-en', '-"}'),
  'a time of many digits': padded('{"source":{"collected_at":"2026-11-20T09:30:00.', '0', 'Z"}}'),
  'a long text in metadata': padded('{"metadata":{"a":"', 'x', '"}}'),
  'a long number': padded('{"a":', '1', '}'),
  'white space': padded('', ' ', '{}'),
}

const [create] = listOperations(contracts).filter(({ name }) => name === 'submissions.create')
if (!create) throw new Error('There is no such operation')
const readInput = compileInput(create.operation.input, create.operation.pathFields)

/** The clock of the processor time may tick in steps of 4 ms: one reading covers many bodies. */
const BODIES_PER_READING = 25

/** Measures what it costs to refuse the most expensive bodies of a megabyte: the processor time of each, in the best of so many readings. */
export async function benchBodies({ rounds }: { rounds: number }): Promise<PartReport> {
  const costs = Object.entries(hostile)
    .map(([what, text]) => ({ what, body: Buffer.from(text) }))
    .map(({ what, body }) => ({
      what,
      ms: leastMs(rounds, () => refuse(body)),
      passMs: leastMs(rounds, () => passOver(body)),
    }))
    .sort((a, b) => b.ms - a.ms)
  const worstMs = Math.max(...costs.map(({ ms }) => ms))
  const passesMs = GOAL_PASSES * Math.min(...costs.map(({ passMs }) => passMs))
  return {
    title: 'Bodies of a megabyte, refused',
    findings: [
      {
        what: 'processor time of the most expensive one',
        figure: `${worstMs.toFixed(1)} ms`,
        goal: `≤ ${GOAL_MS} ms, or ${GOAL_PASSES} passes over its bytes (${passesMs.toFixed(1)} ms)`,
        met: worstMs <= Math.max(GOAL_MS, passesMs),
      },
    ],
    details: [
      table(
        ['body', 'ms'],
        costs.map(({ what, ms }) => [what, ms.toFixed(1)]),
      ),
    ],
  }
}

function refuse(body: Buffer): void {
  try {
    readInput(Object(readJson(body)))
  } catch {
    return
  }
  throw new Error('A body that should be refused was taken')
}

function passOver(body: Buffer): number {
  let quotes = 0
  for (let at = 0; at < body.length; at += 1) if (body[at] === 0x22) quotes += 1
  return quotes
}

function leastMs(readings: number, work: () => unknown): number {
  const readOnce = () => {
    const begun = process.threadCpuUsage()
    for (let times = 0; times < BODIES_PER_READING; times += 1) work()
    const { user, system } = process.threadCpuUsage(begun)
    return (user + system) / 1000 / BODIES_PER_READING
  }
  return Math.min(...Array.from({ length: readings }, readOnce))
}

/** Repeats items until the body has a megabyte. */
function filled(head: string, itemOf: (number: number) => string, tail: string): string {
  const items: string[] = []
  let bytes = head.length + tail.length
  for (let number = 0; ; number += 1) {
    const item = itemOf(number)
    bytes += item.length + 1
    if (bytes > sizes.bodyBytes) return `${head}${items.join(',')}${tail}`
    items.push(item)
  }
}

/** A megabyte in so many items of the same size. */
function spread([head, tail]: [string, string], count: number, itemOf: (number: number) => [start: string, filler: string, end: string]) {
  const own = count - 10
  const bytes = Math.floor((sizes.bodyBytes - head.length - tail.length) / own) - 1
  const items = Array.from({ length: own }, (_, number) => {
    const [start, filler, end] = itemOf(number)
    return start.padEnd(bytes - end.length, filler) + end
  })
  return `${head}${items.join(',')}${tail}`
}

function padded(head: string, filler: string, tail: string): string {
  return `${head}${filler.repeat(Math.floor((sizes.bodyBytes - head.length - tail.length) / filler.length))}${tail}`
}
