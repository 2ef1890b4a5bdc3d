import { expect, test } from 'vitest'
import { drawPng, file, startImageSite } from '../support/image-site.ts'
import { publish, shownAvatar, startImageWorker, untilSettled } from '../support/images.ts'
import { makeTeam } from '../support/people.ts'
import { startTestService } from '../support/test-service.ts'

const GENEROUS = { timeout: 120_000 }

test('while a picture is copied, its address shows nothing, and no cache keeps that', GENEROUS, async () => {
  const service = await startTestService()
  const worker = await startImageWorker(service)
  const team = await makeTeam(service.database)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await using slow = await startImageSite({
    '/ada.png': (request, response) => void released.then(() => file('image/png', drawPng(30, 20))(request, response)),
  })
  const owner_id = await publish(service, team, `${slow.url}/ada.png`)
  const url = `${service.url}/media/v1/images/${team.id}/${owner_id}`
  for (const init of [{}, { headers: { 'if-none-match': '*' } }, { method: 'HEAD' }]) {
    const response = await fetch(url, init)
    expect(response.status).toBe(202)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'image/gif',
      'retry-after': '2',
    })
    expect(response.headers.get('etag')).toBeNull()
    const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 10)
    expect(bytes).toBe('method' in init ? '' : 'GIF89a\x01\0\x01\0')
  }
  expect((await fetch(`${url}/${'0'.repeat(32)}.webp`)).status).toBe(404)
  expect(await shownAvatar(service, team)).toBeNull()
  release()
  await untilSettled(service, owner_id)
  expect((await fetch(url)).status).toBe(200)
  await worker.stop({ timeoutMs: 5_000 })
  await service.close()
})
