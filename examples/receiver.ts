import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook } from '@earshot/contracts/webhooks'

const { RECEIVER_URL = 'http://127.0.0.1:9000/', WEBHOOK_SECRET = '' } = process.env
const server = createServer(async (request, response) => {
  const verified = buffer(request).then((body) => verifyWebhook(body, request.headers, WEBHOOK_SECRET))
  const event = await verified.catch((error: Error) => error)
  console.log('receiver:', event instanceof Error ? event.message : `verified ${event.type} ${event.id}`)
  response.writeHead(event instanceof Error ? 400 : 200).end(event instanceof Error ? 'refused' : 'thank you')
})
server.listen(Number(new URL(RECEIVER_URL).port), '127.0.0.1', () => console.log('receiver: listening at', RECEIVER_URL))
