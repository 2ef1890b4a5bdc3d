import { contracts } from '@earshot/contracts'
import {
  beginReplay,
  createWebhook,
  deleteWebhook,
  findDelivery,
  findWebhook,
  listAttempts,
  listDeliveries,
  listWebhooks,
  redeliver,
  rotateWebhookSecret,
  toTimestamp,
  updateWebhook,
  type WebhookEndpointRow,
} from '@earshot/db'
import type { InTeam } from '../auth/callers.ts'
import { makeId } from '../auth/token-values.ts'
import { implement } from '../http/implement.ts'
import { headerChange, presentHeaders, sealHeaders } from './endpoint-headers.ts'
import { makeEndpointSecret, sealEndpointSecret } from './endpoint-secret.ts'
import { presentAttempt, presentDelivery } from './present.ts'
import { requireRange } from './replay-range.ts'
import { endpointStats, listSummaries } from './stats.ts'
import { sendTestDelivery } from './test-delivery.ts'

export const webhooks = implement(contracts.webhooks, {
  list: ({ ctx, input }) => listWebhooks(ctx.tx, input, presentWebhook),
  create: async ({ ctx, input }) => {
    const { team_id, headers = {}, secret = makeEndpointSecret(), ...fields } = input
    const webhook_id = makeId()
    const sealed = { ...sealEndpointSecret(ctx.services, webhook_id, secret), ...sealHeaders(ctx, webhook_id, headers) }
    const row = await createWebhook(ctx.tx, ctx.actor, { team_id, webhook_id }, { ...given(fields), ...ctx.receiver, ...sealed })
    return { ...presentWebhook(row), secret }
  },
  retrieve: async ({ ctx, input }) => presentWebhook(await findWebhook(ctx.tx, input)),
  update: async ({ ctx, input }) => {
    const { team_id, webhook_id, headers, ...fields } = input
    const changeHeaders = headerChange(ctx, { url: ctx.receiver?.url, headers })
    const changed = { ...given(fields), ...ctx.receiver, changeHeaders }
    return presentWebhook(await updateWebhook(ctx.tx, ctx.actor, { team_id, webhook_id }, changed))
  },
  rotateSecret: async ({ ctx, input }) => {
    const { secret = makeEndpointSecret(), ...ref } = input
    const isCurrent = (before: WebhookEndpointRow) => openSecret(ctx, before) === secret
    const rotated = { ...sealEndpointSecret(ctx.services, ref.webhook_id, secret), isCurrent }
    return { ...presentWebhook(await rotateWebhookSecret(ctx.tx, ctx.actor, ref, rotated)), secret }
  },
  test: async ({ ctx, input }) => presentAttempt(await sendTestDelivery(ctx, input)),
  stats: ({ ctx, input }) => endpointStats(ctx.tx, input),
  replay: ({ ctx, input }) => beginReplay(ctx.tx, ctx.actor, requireRange(input)),
  delete: ({ ctx, input }) => deleteWebhook(ctx.tx, ctx.actor, input),
  deliveries: {
    list: ({ ctx, input }) => listDeliveries(ctx.tx, input, presentDelivery),
    retrieve: async ({ ctx, input }) => presentDelivery(await findDelivery(ctx.tx, input)),
    redeliver: async ({ ctx, input }) => presentDelivery(await redeliver(ctx.tx, ctx.actor, input)),
  },
  summaries: {
    list: ({ ctx, input }) => listSummaries(ctx.tx, input),
  },
  attempts: {
    list: ({ ctx, input }) => listAttempts(ctx.tx, input, presentAttempt),
  },
})

function openSecret({ services }: InTeam, { id, secret }: WebhookEndpointRow): string {
  return services.secretBox.open('webhook-secret', Buffer.from(secret, 'base64'), id)
}

/** Returns the given fields. Absent columns stay unchanged. */
function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }
}

function presentWebhook(row: WebhookEndpointRow) {
  const overlapEnd = toTimestamp(row.previous_secret_expires_at)
  return {
    id: row.id,
    team_id: row.team_id,
    url: row.url,
    description: row.description,
    events: row.events,
    project_id: row.project_id,
    format: row.format,
    max_per_second: row.max_per_second,
    state: row.state,
    disabled_reason: row.disabled_reason,
    headers: presentHeaders(row),
    secret_hint: row.secret_hint,
    previous_secret_expires_at: overlapEnd,
    public_key: row.public_key,
    previous_public_key: overlapEnd !== null && Date.parse(overlapEnd) > Date.now() ? row.previous_public_key : null,
    consecutive_failures: row.consecutive_failures,
    last_success_at: toTimestamp(row.last_success_at),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
