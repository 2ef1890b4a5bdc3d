import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent } from './child-process.ts'

export type ReceiverQuestion = 'start' | 'read' | 'forget'

export interface Receipts {
  count: number
  /** From the instant in each event to its arrival. */
  latenciesMs: number[]
}

let receipts: Receipts = { count: 0, latenciesMs: [] }

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { created_at } = JSON.parse(Buffer.concat(chunks).toString())
  receipts.count += 1
  receipts.latenciesMs.push(Date.now() - Date.parse(created_at))
  response.end('ok')
})

answerParent(answer, async () => {
  server.close()
  server.closeAllConnections()
})

async function answer(question: ReceiverQuestion): Promise<Receipts | { url: string }> {
  if (question === 'read') return receipts
  receipts = { count: 0, latenciesMs: [] }
  if (question === 'forget') return receipts
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}
