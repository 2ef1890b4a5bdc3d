import { readFileSync } from 'node:fs'
import { type ClaimedImage, claimImage, failImage, finishImage } from '@earshot/db'
import type { Worker } from '@earshot/jobs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { drawPng, file, startImageSite } from '../support/image-site.ts'
import { decide, factsOf, publish, startImageWorker, untilSettled } from '../support/images.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const IMAGES_OF_BEFORE = readFileSync(new URL('../../db/migrations/0037_images_of_before.online.sql', import.meta.url), 'utf8')
const GENEROUS = { timeout: 120_000 }

let service: TestService
let team: Team
let worker: Worker | null
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  team = await makeTeam(service.database)
})
afterEach(async () => {
  await worker?.stop({ timeoutMs: 5_000 })
  worker = null
  await service.database.run('delete from image_copies', [])
})
afterAll(() => service.close())

test('a late result for another address is refused, though both are a first attempt', GENEROUS, async () => {
  const owner_id = await publish(service, team, 'https://example.com/before.png')
  const held = await claimImage(service.database, { served: null })
  await service.database.run('update submissions set author_avatar_url = $2 where id = $1', [owner_id, 'https://example.com/after.png'])
  let claimed: ClaimedImage | null = null
  await until('the other address is due', async () => {
    claimed = await claimImage(service.database, { served: null })
    return claimed !== null
  })
  expect(claimed).toMatchObject({ owner_id, attempts: 1, source_url: 'https://example.com/after.png' })
  if (!held) throw new Error('unreachable')
  const late = { version: '0'.repeat(32), width: 1, height: 1, bytes: Buffer.from('late') }
  expect(await finishImage(service.database, held, late)).toBe(false)
  await failImage(service.database, held, 'failed')
  expect(await factsOf(service, owner_id)).toMatchObject({ state: 'pending', attempts: 1 })
})

test('an image that workers died of five times is given up, and not asked for again', GENEROUS, async () => {
  await using site = await startImageSite({ '/ada.png': file('image/png', drawPng(10, 10)) })
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  const logo_url = `${site.url}/ada.png`
  await service.client(team.token).projects.update({ ...team.project, theme: { logo_url } })
  await service.database.run('update image_copies set attempts = 5 where team_id = $1', [team.id])
  worker = await startImageWorker(service)
  for (const id of [owner_id, team.project.project_id])
    expect(await untilSettled(service, id)).toMatchObject({ state: 'failed', error_code: 'failed' })
  expect((await service.client(team.token).projects.retrieve(team.project)).theme.logo).toMatchObject({
    state: 'failed',
    error: { code: 'failed' },
  })
  expect(site.requests).toEqual([])
})

test('a logo goes before the pictures of its team', GENEROUS, async () => {
  await publish(service, team, 'https://example.com/ada.png')
  await service.client(team.token).projects.update({ ...team.project, theme: { logo_url: 'https://example.com/logo.png' } })
  expect(await claimImage(service.database, { served: null })).toMatchObject({ kind: 'logo' })
})

test('the images of a project or a team that is deleted are not asked for, and forgotten', GENEROUS, async () => {
  await using site = await startImageSite({ '/ada.png': file('image/png', drawPng(10, 10)) })
  const ofProject = await publish(service, team, `${site.url}/ada.png`)
  await service.client(team.token).projects.delete(team.project)
  expect(await factsOf(service, ofProject)).toBeUndefined()
  // A submission whose change was on its way.
  await service.database.run('update submissions set author_avatar_url = $2 where id = $1', [ofProject, `${site.url}/ada.png?`])
  const other = await makeTeam(service.database)
  const ofTeam = await publish(service, other, `${site.url}/ada.png`)
  await service.database.run('update teams set deleted_at = now() where id = $1', [other.id])
  worker = await startImageWorker(service)
  for (const id of [ofProject, ofTeam])
    await until('the image is forgotten', async () => (await factsOf(service, id)) === undefined, 60_000)
  expect(site.requests).toEqual([])
})

test('the images of before are noted, but for those that are withdrawn in this moment', GENEROUS, async () => {
  const { database } = service
  const kept = await publish(service, team, 'https://example.com/kept.png')
  const withdrawn = await publish(service, team, 'https://example.com/withdrawn.png')
  const hidden = await publish(service, team, 'https://example.com/hidden.png')
  await decide(service, team, hidden, { action: 'reject', expected_state: 'approved' })
  await service.client(team.token).projects.update({ ...team.project, theme: { logo_url: 'https://example.com/logo.png' } })
  await database.run('delete from image_copies', [])

  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<string | undefined>()
  const withdrawing = database.transaction(async (tx) => {
    await tx.run('update submissions set consent_revoked_at = now() where id = $1', [withdrawn])
    const [own] = await tx.run<{ number: string }>('select pg_current_xact_id()::xid::text as number', [])
    begin(own?.number)
    await told
  })
  const number = await begun
  const noting = noteImagesOfBefore()
  await until('it waits for the withdrawal', async () => {
    const waiting = await database.run('select pid from pg_locks where not granted and transactionid = $1::text::xid', [number])
    return waiting.length > 0
  })
  tell()
  await withdrawing
  await noting
  const noted = await database.run('select owner_id, kind, state from image_copies where team_id = $1 order by kind', [team.id])
  expect(noted).toEqual([
    { owner_id: kept, kind: 'avatar', state: 'pending' },
    { owner_id: team.project.project_id, kind: 'logo', state: 'pending' },
  ])
  // Once more changes nothing.
  expect(await noteImagesOfBefore()).toBe(0)
})

/** Runs the migration to its end, as a worker does; returns how many images it noted. */
async function noteImagesOfBefore(): Promise<number> {
  let noted = 0
  for (let position: string | null = ''; position !== null; ) {
    const [batch]: { position: string | null; changed_rows: string }[] = await service.database.run(IMAGES_OF_BEFORE, [position])
    noted += Number(batch?.changed_rows)
    position = batch?.position ?? null
  }
  return noted
}
