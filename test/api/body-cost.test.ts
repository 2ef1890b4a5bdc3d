import { contracts, listOperations, sizes } from '@earshot/contracts'
import { expect, test } from 'vitest'
import { compileInput } from '../../server/src/http/input.ts'
import { readJson } from '../../server/src/http/json-body.ts'

/**
 * The goal for a megabyte, in processor time. On a slow machine, and beside other load, it is counted in passes over the bytes,
 * of which eleven took it when it was set.
 */
const GOAL_MS = 10
const GOAL_PASSES = 11
/** Other load comes in bursts: a check that takes too long is tried again. */
const MAX_ROUNDS = 50

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

for (const [what, text] of Object.entries(hostile)) {
  test(`a megabyte of ${what} is refused within ${GOAL_MS} ms, or as fast as its bytes are read ${GOAL_PASSES} times`, () => {
    const body = Buffer.from(text)
    expect(body.length).toBeGreaterThan(0.98 * sizes.bodyBytes)
    expect(body.length).toBeLessThanOrEqual(sizes.bodyBytes)
    expect(() => check(body)).toThrow(/missing, unknown or invalid/)
    expect(costInGoals(body)).toBeLessThan(1)
  })
}

test('the largest metadata passes: as many values as 16 KB hold', () => {
  const metadata = { a: Array.from({ length: (sizes.metadataBytes - '{"a":[]}'.length) / 2 }, () => 0) }
  const body = Buffer.from(JSON.stringify({ body: 'x', author: { name: 'Ada' }, metadata }))
  expect(check(body, { team_id: ID, project_id: ID })).toMatchObject({ metadata })
})

const ID = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01'

function check(body: Buffer, path: object = {}): unknown {
  return readInput({ ...Object(readJson(body)), ...path })
}

/** The least that the check takes in a few rounds, by the goal. */
function costInGoals(body: Buffer): number {
  let pass = Number.POSITIVE_INFINITY
  let least = Number.POSITIVE_INFINITY
  const cost = () => least / Math.max(GOAL_MS, GOAL_PASSES * pass)
  for (let round = 0; round < MAX_ROUNDS && !(cost() < 1); round += 1) {
    pass = Math.min(
      pass,
      msOf(() => passOver(body)),
    )
    least = Math.min(
      least,
      msOf(() => expect(() => check(body)).toThrow()),
    )
  }
  return cost()
}

function passOver(body: Buffer): number {
  let quotes = 0
  for (let at = 0; at < body.length; at += 1) if (body[at] === 0x22) quotes += 1
  return quotes
}

function msOf(work: () => unknown): number {
  const begun = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(begun)
  return (user + system) / 1000
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
