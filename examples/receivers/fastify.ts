import { verifyWebhook, WebhookVerificationError } from '@earshot/client/webhooks'
import { fastify } from 'fastify'

const { RECEIVER_URL = 'http://127.0.0.1:9000/', WEBHOOK_SECRET = '' } = process.env
// In your application, keep these in the database under a unique index, written in the transaction that does the work.
const done = new Set<unknown>()

const app = fastify()
// Keep the raw bytes, which are signed: JSON that is parsed and written again can differ.
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, next) => next(null, body))
app.setErrorHandler((error, _request, reply) => {
  console.log('receiver: refused:', String(error))
  return reply.status(error instanceof WebhookVerificationError ? 400 : 500).send('refused')
})
app.post<{ Body: Buffer }>('/', async (request) => {
  const event = await verifyWebhook(request.body, request.headers, WEBHOOK_SECRET)
  const delivery = request.headers['x-service-delivery']
  console.log(`receiver: ${done.has(delivery) ? 'already has' : 'verified'} ${event.type} ${event.id}`)
  done.add(delivery)
  return 'thank you'
})
const { hostname, port } = new URL(RECEIVER_URL)
await app.listen({ host: hostname, port: Number(port) })
console.log('receiver: listening at', RECEIVER_URL)
