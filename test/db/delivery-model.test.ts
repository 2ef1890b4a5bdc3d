import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'
import { Model } from './delivery-life.ts'
import { anyMove, beginLife } from './delivery-model.ts'

const RUNS = 300
const MOVES = 40
const LONGEST_MS = 120_000

let fixture: WebhookFixture
beforeAll(async () => {
  fixture = await openWebhookFixture()
})
afterAll(() => fixture.close())

test(
  'under any sequence of events the rows of deliveries, workers and endpoint match the model',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0, 6),
        fc.array(anyMove(), { minLength: 5, maxLength: MOVES, size: 'max' }),
        async (failed, moves) => {
          const life = await beginLife(fixture, failed)
          const model = new Model(failed)
          try {
            for (const move of moves) {
              expect([move, await life.befall(move)]).toEqual([move, model.befall(move)])
              expect([move, await life.holdings()]).toEqual([move, model.holdings()])
            }
            const { noted, counted } = await life.figures()
            expect(noted).toBe(counted)
          } finally {
            await life.end()
          }
        },
      ),
      { numRuns: RUNS },
    )
  },
  LONGEST_MS,
)
