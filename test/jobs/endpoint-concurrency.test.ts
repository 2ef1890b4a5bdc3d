import { expect, test } from 'vitest'
import { EndpointConcurrency } from '../../jobs/src/dispatcher/endpoint-concurrency.ts'

const due = (endpoint_id: string, is_failing = false) => ({
  team_id: 'team',
  endpoint_id,
  due_since: '2026-01-01 00:00:00+00',
  is_failing,
  is_tested: false,
  max_per_second: null,
  limited_for_ms: 0,
})
const many = (name: string, count: number, isFailing = false) =>
  Array.from({ length: count }, (_, index) => due(`${name}-${index}`, isFailing))
const freeOf = (concurrency: EndpointConcurrency, endpointId: string) => concurrency.allot([due(endpointId)]).slots[0]?.free ?? 0

test('an endpoint starts with one delivery at a time and gets up to 32 by responding', () => {
  const concurrency = new EndpointConcurrency()
  expect(freeOf(concurrency, 'a')).toBe(1)
  concurrency.succeeded('a', 5)
  expect(freeOf(concurrency, 'a')).toBe(9)
  for (let index = 0; index < 100; index += 1) concurrency.succeeded('a', 5)
  expect(freeOf(concurrency, 'a')).toBe(32)
  concurrency.started('a')
  expect(freeOf(concurrency, 'a')).toBe(31)
})

test('an error or a slow response halves it; a hang sets it to one', () => {
  const concurrency = new EndpointConcurrency()
  for (let index = 0; index < 100; index += 1) concurrency.succeeded('a', 5)
  concurrency.failed('a')
  expect(freeOf(concurrency, 'a')).toBe(16)
  concurrency.succeeded('a', 2_500)
  expect(freeOf(concurrency, 'a')).toBe(8)
  concurrency.stalled('a')
  expect(freeOf(concurrency, 'a')).toBe(1)
})

test('unknown endpoints hold at most a quarter of the slots, failing ones half, and proven ones always get one', () => {
  const concurrency = new EndpointConcurrency()
  expect(takeAll(concurrency, many('unknown', 2_000))).toBe(250)
  expect(takeAll(concurrency, many('failing', 2_000, true))).toBe(500)
  const proven = many('proven', 10)
  for (const { endpoint_id } of proven) concurrency.succeeded(endpoint_id, 5)
  expect(take(concurrency, proven)).toBe(90)
})

test('twenty unknown and failing endpoints start at a time, and the rest are reported as waiting', () => {
  const concurrency = new EndpointConcurrency()
  expect([take(concurrency, many('unknown', 2_000)), take(concurrency, many('unknown', 2_000))]).toEqual([20, 20])
  expect(take(concurrency, many('failing', 2_000, true))).toBe(20)
  expect(concurrency.allot(many('failing', 2_000, true)).isCut).toBe(true)
  expect(concurrency.allot(many('failing', 19, true)).isCut).toBe(false)
  takeAll(concurrency, many('failing', 2_000, true))
  expect(concurrency.allot(many('failing', 2_000, true)).isCut).toBe(false)
})

test('when slots are scarce, endpoints take turns', () => {
  const concurrency = new EndpointConcurrency()
  const endpoints = many('unknown', 1_000)
  const served = new Set<string>()
  for (let round = 0; round < 1_000; round += 1) for (const { endpoint_id } of concurrency.allot(endpoints).slots) served.add(endpoint_id)
  expect(served.size).toBe(1_000)
})

test('any number of proven endpoints fills all slots; beyond 100,000 the least recently used start anew', () => {
  const concurrency = new EndpointConcurrency()
  const endpoints = many('proven', 101_000)
  for (const { endpoint_id } of endpoints.slice(0, 21_000)) concurrency.succeeded(endpoint_id, 5)
  expect(concurrency.allot(endpoints.slice(0, 21_000)).slots.reduce((sum, { free }) => sum + free, 0)).toBe(1_000)

  for (const { endpoint_id } of endpoints) concurrency.succeeded(endpoint_id, 5)
  expect(freeOf(concurrency, 'proven-100999')).toBeGreaterThan(1)
  expect(freeOf(concurrency, 'proven-1500')).toBeGreaterThan(1)
  expect(freeOf(concurrency, 'proven-500')).toBe(1)
})

test('a test delivery gets a slot although all of the endpoint’s are in use', () => {
  const concurrency = new EndpointConcurrency()
  concurrency.started('a')
  expect(freeOf(concurrency, 'a')).toBe(0)
  expect(concurrency.allot([{ ...due('a'), is_tested: true }]).slots).toMatchObject([{ free: 1 }])
})

test('an endpoint with a limit gets no more slots than one claim may fill', () => {
  const concurrency = new EndpointConcurrency()
  for (let index = 0; index < 100; index += 1) concurrency.succeeded('a', 5)
  const freeAt = (max_per_second: number) => concurrency.allot([{ ...due('a'), max_per_second }]).slots[0]?.free
  expect([1, 9, 10, 100, 1_000].map(freeAt)).toEqual([1, 1, 2, 11, 32])
})

function take(concurrency: EndpointConcurrency, endpoints: ReturnType<typeof many>): number {
  const { slots } = concurrency.allot(endpoints)
  for (const { endpoint_id, free } of slots) for (let index = 0; index < free; index += 1) concurrency.started(endpoint_id)
  return slots.reduce((sum, { free }) => sum + free, 0)
}

function takeAll(concurrency: EndpointConcurrency, endpoints: ReturnType<typeof many>): number {
  const taken = take(concurrency, endpoints)
  return taken === 0 ? 0 : taken + takeAll(concurrency, endpoints)
}

test('a response frees the endpoint’s slot at once, and the worker’s only when its result is written', () => {
  const concurrency = new EndpointConcurrency()
  concurrency.started('a')
  expect(freeOf(concurrency, 'a')).toBe(0)
  concurrency.responded('a')
  expect(freeOf(concurrency, 'a')).toBe(1)
  for (let index = 0; index < 999; index += 1) {
    concurrency.started('a')
    concurrency.responded('a')
  }
  expect(freeOf(concurrency, 'a')).toBe(0)
  concurrency.finished()
  expect(freeOf(concurrency, 'a')).toBe(1)
})
