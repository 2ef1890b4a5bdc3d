import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@earshot/client/webhooks'

// Next.js calls this from app/earshot/route.ts; it works with any framework that uses Request and Response.
// In your application, keep these in the database under a unique index, written in the transaction that does the work.
const done = new Set<string | null>()

export async function POST(request: Request): Promise<Response> {
  let event: WebhookEvent
  try {
    event = await verifyWebhook(await request.arrayBuffer(), request.headers, process.env.WEBHOOK_SECRET ?? '')
  } catch (error) {
    console.log('receiver: refused:', String(error))
    return new Response('refused', { status: error instanceof WebhookVerificationError ? 400 : 500 })
  }
  const delivery = request.headers.get('x-service-delivery')
  console.log(`receiver: ${done.has(delivery) ? 'already has' : 'verified'} ${event.type} ${event.id}`)
  done.add(delivery)
  return new Response('thank you')
}
