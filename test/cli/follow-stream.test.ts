import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { refusal } from './fake-service.ts'
import { PLACE } from './records.ts'

const change = (id: string) => ({
  type: 'submission.approved',
  submission_id: id,
  kind: 'text',
  state: 'approved',
  at: '2026-11-26T09:00:00.000Z',
})
const ready = (cursor: string) => `id: ${cursor}\nevent: ready\ndata: {"cursor":"${cursor}"}\n\n`
const message = (cursor: string, id: string) => `id: ${cursor}\nevent: submission.approved\ndata: ${JSON.stringify(change(id))}\n\n`

type Play = (response: ServerResponse) => void

const sending =
  (text: string, then: 'waits' | 'ends'): Play =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text)
    if (then === 'ends') response.end()
  }

const refusing =
  (status: number, code: Parameters<typeof refusal>[1]): Play =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(refusal(status, code).json))

/** Follows a service that answers like this, until a text is printed, and then presses Ctrl-C. */
async function follow(args: readonly string[], plays: Play[], until?: string) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    plays[paths.length - 1]?.(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // It listens on a port.
  const controller = new AbortController()
  const onOutput = (text: string) => {
    if (until !== undefined && text.includes(until)) controller.abort()
  }
  const outcome = await earshot(args, { url, env: PLACE, haste: 1000, interruption: controller.signal, onOutput })
  server.closeAllConnections()
  server.close()
  return { ...outcome, paths }
}

const stream = ['submissions', 'stream']

test('each change is a line of JSON; a connection that drops is opened again after the last, and Ctrl-C ends with the cursor', async () => {
  const { out, err, exitCode, paths } = await follow(
    stream,
    [
      sending(ready('f1') + message('f2', 'a'), 'ends'),
      refusing(503, 'dependency_unavailable'),
      sending(ready('f2') + message('f3', 'b'), 'waits'),
    ],
    '"b"',
  )
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([change('a'), change('b')])
  expect(exitCode).toBe(0)
  expect(err).toMatch(
    /ended the stream\. Reconnecting in 1 s\.\n.*Reconnecting in 2 s\.\nReconnected\.\nContinue after the last line with --cursor f3\n$/,
  )
  const place = `/api/v1/teams/${PLACE.EARSHOT_TEAM}/projects/${PLACE.EARSHOT_PROJECT}/submissions/stream/`
  expect(paths).toEqual([place, `${place}?cursor=f2`, `${place}?cursor=f2`])
})

test('a connection that drops before the first change goes on where it began', async () => {
  const { paths, err } = await follow(stream, [sending(ready('f7'), 'ends'), sending(ready('f7') + message('f8', 'a'), 'waits')], '"a"')
  expect(paths[1]).toContain('?cursor=f7')
  expect(err).toContain('--cursor f8')
})

test('--cursor begins there, and what the service refuses for good ends the command with its error', async () => {
  const { exitCode, err, out, paths } = await follow([...stream, '--cursor', 'f5'], [refusing(403, 'insufficient_scope')])
  expect(paths).toEqual([expect.stringContaining('?cursor=f5')])
  expect([exitCode, out]).toEqual([1, ''])
  expect(err).toContain('insufficient_scope')
  const ended = `${ready('f1')}event: error\ndata: ${JSON.stringify(refusal(404, 'not_found').json)}\n\n`
  expect(await follow(stream, [sending(ended, 'waits')])).toMatchObject({ exitCode: 1, out: '', paths: [expect.any(String)] })
})

test('the events of a team are lines too, of some types', async () => {
  const { out, paths } = await follow(
    ['events', 'stream', '--types', 'submission.approved'],
    [sending(ready('f1') + message('f2', 'a'), 'waits')],
    '"a"',
  )
  expect(JSON.parse(out)).toEqual(change('a'))
  expect(paths[0]).toBe(`/api/v1/teams/${PLACE.EARSHOT_TEAM}/events/stream/?types=submission.approved`)
})
