import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook, WebhookVerificationError } from '@earshot/client/webhooks'

const { RECEIVER_URL = 'http://127.0.0.1:9000/', WEBHOOK_SECRET = '' } = process.env
// In your application, keep these in the database under a unique index, written in the transaction that does the work.
const done = new Set<unknown>()

const server = createServer(async (request, response) => {
  try {
    const event = await verifyWebhook(await buffer(request), request.headers, WEBHOOK_SECRET)
    const delivery = request.headers['x-service-delivery']
    console.log(`receiver: ${done.has(delivery) ? 'already has' : 'verified'} ${event.type} ${event.id}`)
    done.add(delivery)
    response.end('thank you')
  } catch (error) {
    console.log('receiver: refused:', String(error))
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end('refused')
  }
})
const { hostname, port } = new URL(RECEIVER_URL)
server.listen(Number(port), hostname, () => console.log('receiver: listening at', RECEIVER_URL))
