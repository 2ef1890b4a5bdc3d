import { contracts } from '@earshot/contracts'
import { readEvents } from '@earshot/db'
import { implement } from './implement.ts'
import { presentPayload } from './webhook-presenter.ts'

export const events = implement(contracts.events, {
  list: ({ ctx, input }) => readEvents(ctx.tx, input, ({ payload }) => presentPayload(payload)),
})
