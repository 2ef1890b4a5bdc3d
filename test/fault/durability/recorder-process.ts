import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Receipt } from './recorder.ts'

/** Long enough that many deliveries are in flight at any moment. */
const ANSWER_MS = { min: 50, max: 400 }

/** A receiver in a process of its own. It reports each request before it responds; its parent makes it go away and come back. */
const server = createServer((request, response) => {
  const hash = createHash('sha256')
  request.on('data', (chunk) => hash.update(chunk))
  request.on('error', () => {})
  request.on('end', () => {
    const receipt: Receipt = {
      deliveryId: String(request.headers['webhook-id']),
      signedAt: Number(request.headers['webhook-timestamp']),
      sha256: hash.digest('hex'),
      atMs: Date.now(),
    }
    process.send?.(receipt)
    setTimeout(() => response.end(), ANSWER_MS.min + Math.random() * (ANSWER_MS.max - ANSWER_MS.min))
  })
})
let port = 0

process.on('message', (word: 'go away' | 'come back') => {
  if (word === 'come back') return listen()
  server.close(() => process.send?.('away'))
  server.closeAllConnections()
})
// Its parent is gone.
process.once('disconnect', () => process.exit())
listen()

function listen(): void {
  server.listen(port, '127.0.0.1', () => {
    port = (server.address() as AddressInfo).port
    process.send?.(port)
  })
}
