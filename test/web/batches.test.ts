import fc from 'fast-check'
import { expect, test } from 'vitest'
import { batchesOf, canLeaveWith, withinQuota } from '../../web/src/dashboard/inbox/batches.ts'
import type { Held } from '../../web/src/dashboard/inbox/held.ts'
import { heldOf, submissionOf } from './records.ts'

/** As many as the operation takes (`sizes.moderationItems`). */
const MAX_ITEMS = 100

const decisions = fc
  .array(fc.record({ project: fc.constantFrom('p1', 'p2', 'p3'), reason: fc.option(fc.string({ maxLength: 500 })) }), { maxLength: 250 })
  .map((made) =>
    made.map(({ project, reason }, index) => heldOf({ submission: submissionOf({ id: `s${index}`, project_id: project }), reason })),
  )

test('each decision is in one batch, with others of its project, in their order', () => {
  fc.assert(
    fc.property(decisions, (made) => {
      const batches = batchesOf(made)
      for (const project of ['p1', 'p2', 'p3']) {
        const own = batches.filter(([first]) => first?.submission.project_id === project).flat()
        expect(own).toEqual(made.filter(({ submission }) => submission.project_id === project))
      }
      expect(batches.every(({ length }) => length > 0 && length <= MAX_ITEMS)).toBe(true)
    }),
    { numRuns: 30 },
  )
})

test('no more batches are made than items need', () => {
  expect(batchesOf(many(100))).toHaveLength(1)
  expect(batchesOf(many(101)).map(({ length }) => length)).toEqual([100, 1])
  expect(batchesOf([])).toEqual([])
})

test('long reasons make smaller batches', () => {
  const sizes = batchesOf(many(60, 'ü'.repeat(500))).map(({ length }) => length)
  expect(sizes.length).toBeGreaterThan(3)
  expect(Math.max(...sizes) * 1_000).toBeLessThan(20_000)
})

test('one decision whose reason is longer than a batch is still sent', () => {
  expect(batchesOf(many(2, 'x'.repeat(30_000))).map(({ length }) => length)).toEqual([1, 1])
})

test('a page can be left with 350 decisions', () => {
  expect([canLeaveWith(350), canLeaveWith(351)]).toEqual([true, false])
})

test('when the page is left, the first reasons have the room, and no decision is left out', () => {
  const kept = withinQuota(many(120, 'x'.repeat(500)))
  expect(kept).toHaveLength(120)
  const reasons = kept.map(({ reason }) => reason !== null)
  expect(reasons.indexOf(false)).toBeGreaterThan(50)
  expect(reasons.slice(reasons.indexOf(false)).includes(true)).toBe(false)
})

function many(count: number, reason: string | null = null): Held[] {
  return Array.from({ length: count }, (_, index) => heldOf({ submission: submissionOf({ id: `s${index}` }), reason }))
}
