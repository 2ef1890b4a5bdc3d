import { expect, test } from 'vitest'
import { startRawReceiver } from '../support/raw-receiver.ts'
import { startSender } from './start-sender.ts'

const post = (url: string) => ({ url, headers: {}, body: '{}' })

test('an endless body is cut, its size is unknown, and the receiver sees the socket close', async () => {
  await using receiver = await startRawReceiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    const pour = () => {
      while (socket.writable && socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`));
    }
    socket.on('drain', pour)
    pour()
  })
  await using sender = startSender()
  const result = await sender.send(post(receiver.url))
  expect(result).toMatchObject({ statusCode: 200, responseBodyTruncated: true, responseBodyBytes: null, error: null })
  expect(result.responseBody).toEqual(Buffer.alloc(4_096, 'x'))
  await receiver.closed(1)
})

test.each([
  [200, 4_096, 4_096],
  [200, 4_097, 4_096],
  [204, 0, 0],
  [302, 65_536, 65_536],
  [503, 65_535, 65_535],
  [503, 65_536, 65_536],
  [503, 65_537, 65_536],
  [200, 1_000_000, 4_096],
])('of a %d with %d bytes %d are kept, and the size of the whole is known', async (status, bytes, kept) => {
  await using receiver = await startRawReceiver((socket) => socket.write(answerOf(status, bytes)))
  await using sender = startSender()
  const { responseBody, responseBodyTruncated, responseBodyBytes } = await sender.send(post(receiver.url))
  expect([responseBody?.length, responseBodyTruncated, responseBodyBytes]).toEqual([kept, kept < bytes, bytes])
})

test('both sizes are configured', async () => {
  await using receiver = await startRawReceiver((socket, request) => socket.write(answerOf(request.includes('/ok') ? 200 : 500, 100)))
  await using sender = startSender({ keptSuccessBytes: 20, keptFailureBytes: 0 })
  const [success, failure] = [await sender.send(post(`${receiver.url}/ok`)), await sender.send(post(receiver.url))]
  expect([success.responseBody?.length, success.responseBodyBytes]).toEqual([20, 100])
  expect(failure).toMatchObject({ responseBody: Buffer.alloc(0), responseBodyTruncated: true })
})

test('a 2xx whose body is cut off is a failure, and its body is kept as one', async () => {
  await using receiver = await startRawReceiver((socket) => {
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n${'x'.repeat(5_000)}`)
  })
  await using sender = startSender()
  const result = await sender.send(post(receiver.url))
  expect(result).toMatchObject({ responseBodyTruncated: false, responseBodyBytes: 9_000, error: expect.any(Object) })
  expect(result.responseBody).toHaveLength(5_000)
})

function answerOf(status: number, bytes: number): string {
  return `HTTP/1.1 ${status} X\r\n${status === 204 ? '' : `Content-Length: ${bytes}\r\n`}\r\n${'x'.repeat(bytes)}`
}
