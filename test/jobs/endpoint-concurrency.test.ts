import { expect, test } from 'vitest'
import { EndpointPaces } from '../../jobs/src/dispatcher/endpoint-concurrency.ts'

const due = (endpoint_id: string, is_failing = false) => ({ team_id: 'team', endpoint_id, is_failing, is_tested: false })
const many = (name: string, count: number, isFailing = false) =>
  Array.from({ length: count }, (_, index) => due(`${name}-${index}`, isFailing))
const freeOf = (paces: EndpointPaces, endpointId: string) => paces.allot([due(endpointId)]).slots[0]?.free ?? 0

test('an endpoint starts with one delivery at a time and gets up to 32 by responding', () => {
  const paces = new EndpointPaces()
  expect(freeOf(paces, 'a')).toBe(1)
  paces.succeeded('a', 5)
  expect(freeOf(paces, 'a')).toBe(9)
  for (let index = 0; index < 100; index += 1) paces.succeeded('a', 5)
  expect(freeOf(paces, 'a')).toBe(32)
  paces.take('a')
  expect(freeOf(paces, 'a')).toBe(31)
})

test('an error or a slow response halves it; a hang sets it to one', () => {
  const paces = new EndpointPaces()
  for (let index = 0; index < 100; index += 1) paces.succeeded('a', 5)
  paces.failed('a')
  expect(freeOf(paces, 'a')).toBe(16)
  paces.succeeded('a', 2_500)
  expect(freeOf(paces, 'a')).toBe(8)
  paces.stalled('a')
  expect(freeOf(paces, 'a')).toBe(1)
})

test('unknown endpoints hold at most a quarter of the slots, failing ones half, and proven ones always get one', () => {
  const paces = new EndpointPaces()
  expect(takeAll(paces, many('unknown', 2_000))).toBe(250)
  expect(takeAll(paces, many('failing', 2_000, true))).toBe(500)
  const proven = many('proven', 10)
  for (const { endpoint_id } of proven) paces.succeeded(endpoint_id, 5)
  expect(take(paces, proven)).toBe(90)
})

test('twenty unknown and failing endpoints start at a time, and the rest are reported as waiting', () => {
  const paces = new EndpointPaces()
  expect([take(paces, many('unknown', 2_000)), take(paces, many('unknown', 2_000))]).toEqual([20, 20])
  expect(take(paces, many('failing', 2_000, true))).toBe(20)
  expect(paces.allot(many('failing', 2_000, true)).isCut).toBe(true)
  expect(paces.allot(many('failing', 19, true)).isCut).toBe(false)
  takeAll(paces, many('failing', 2_000, true))
  expect(paces.allot(many('failing', 2_000, true)).isCut).toBe(false)
})

test('when slots are scarce, endpoints take turns', () => {
  const paces = new EndpointPaces()
  const endpoints = many('unknown', 1_000)
  const served = new Set<string>()
  for (let round = 0; round < 1_000; round += 1) for (const { endpoint_id } of paces.allot(endpoints).slots) served.add(endpoint_id)
  expect(served.size).toBe(1_000)
})

test('a test delivery gets a slot although all of the endpoint’s are in use', () => {
  const paces = new EndpointPaces()
  paces.take('a')
  expect(freeOf(paces, 'a')).toBe(0)
  expect(paces.allot([{ ...due('a'), is_tested: true }]).slots).toMatchObject([{ free: 1 }])
})

function take(paces: EndpointPaces, endpoints: ReturnType<typeof many>): number {
  const { slots } = paces.allot(endpoints)
  for (const { endpoint_id, free } of slots) for (let index = 0; index < free; index += 1) paces.take(endpoint_id)
  return slots.reduce((sum, { free }) => sum + free, 0)
}

function takeAll(paces: EndpointPaces, endpoints: ReturnType<typeof many>): number {
  const taken = take(paces, endpoints)
  return taken === 0 ? 0 : taken + takeAll(paces, endpoints)
}

test('a response frees the endpoint’s slot at once, and the worker’s only when its result is written', () => {
  const paces = new EndpointPaces()
  paces.take('a')
  expect(freeOf(paces, 'a')).toBe(0)
  paces.answered('a')
  expect(freeOf(paces, 'a')).toBe(1)
  for (let index = 0; index < 999; index += 1) {
    paces.take('a')
    paces.answered('a')
  }
  expect(freeOf(paces, 'a')).toBe(0)
  paces.landed()
  expect(freeOf(paces, 'a')).toBe(1)
})
