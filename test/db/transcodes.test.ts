import {
  claimTranscode,
  handBackTranscode,
  hasWaitingVideos,
  listExpiredTranscodes,
  renewTranscode,
  sweepTranscodes,
  type Transcode,
} from '@earshot/db'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { addWaitingVideos, transcodeFacts } from '../support/transcodes.ts'
import { until } from '../support/until.ts'

let store: TestDatabase
beforeEach(async () => {
  store = await openTestDatabase({ poolSize: 20 })
})
afterEach(() => store.close())

async function claim(): Promise<Transcode> {
  const claimed = await claimTranscode(store.database)
  if (!claimed) throw new Error('Nothing was claimed')
  return claimed
}

const endLeases = () => store.database.run(`update videos set leased_until = now() - interval '1 second' where state = 'transcoding'`, [])

test('five hundred waiting videos of one team do not delay the first of another: it is claimed second', async () => {
  const { database } = store
  const [crowd, other] = [await makeTeam(database), await makeTeam(database)]
  const waiting = await addWaitingVideos(database, crowd, 500)
  const first = await claim()
  expect(first).toMatchObject({ video_id: waiting[0], attempt: 1 })
  const [lone] = await addWaitingVideos(database, other)
  expect((await claim()).video_id).toBe(lone)
  expect([(await claim()).video_id, (await claim()).video_id]).toEqual(waiting.slice(1, 3))
})

test('teams take turns while each of them has videos that wait', async () => {
  const teams = [await makeTeam(store.database), await makeTeam(store.database), await makeTeam(store.database)]
  for (const team of teams) await addWaitingVideos(store.database, team, 3)
  const claimed: string[] = []
  for (let count = 0; count < 9; count += 1) claimed.push((await claim()).team_id)
  const ids = teams.map(({ id }) => id).sort()
  for (const start of [0, 3, 6]) expect(claimed.slice(start, start + 3).sort()).toEqual(ids)
  expect(await claimTranscode(store.database)).toBeNull()
})

test('twenty workers that claim at once never get the same video, and leave none', async () => {
  for (let count = 0; count < 4; count += 1) await addWaitingVideos(store.database, await makeTeam(store.database), 25)
  const claimed: string[] = []
  const work = async () => {
    for (let video = await claimTranscode(store.database); video; video = await claimTranscode(store.database)) claimed.push(video.video_id)
  }
  await Promise.all(Array.from({ length: 20 }, work))
  // One that finds each video locked by another sees none; the rest is for its next poll.
  await work()
  expect(new Set(claimed).size).toBe(100)
  expect(claimed).toHaveLength(100)
})

test('a lease that is renewed after it was over is not taken back', async () => {
  const { database } = store
  const [video_id = ''] = await addWaitingVideos(database, await makeTeam(database))
  const video = await claim()
  await endLeases()
  const suspects = await listExpiredTranscodes(database)
  expect(suspects).toEqual([video_id])
  expect(await renewTranscode(database, video, 0.5)).toBe(true)
  expect(await sweepTranscodes(database, suspects)).toBe(0)
  expect(await transcodeFacts(database, { video_id })).toMatchObject({ state: 'transcoding', failed_attempts: 0 })
})

test('a lease that stays over is taken back once by twenty sweeps at once, and counts as a failure', async () => {
  const { database } = store
  const [video_id = ''] = await addWaitingVideos(database, await makeTeam(database))
  const video = await claim()
  await endLeases()
  const taken = await Promise.all(Array.from({ length: 20 }, () => sweepTranscodes(database, [video_id])))
  expect(taken.reduce((sum, count) => sum + count, 0)).toBe(1)
  expect(await transcodeFacts(database, { video_id })).toEqual({ state: 'uploaded', attempt: 1, failed_attempts: 1, is_leased: false })
  expect(await renewTranscode(database, video, 0.5)).toBe(false)
  expect(await claim()).toMatchObject({ video_id, attempt: 2 })
})

test('after a failure a video waits while others are claimed; without one it is claimed again at once', async () => {
  const { database } = store
  const [first = '', second = ''] = await addWaitingVideos(database, await makeTeam(database), 2)
  await handBackTranscode(database, await claim(), { isFailure: true, retryMs: 60_000 })
  expect(await transcodeFacts(database, { video_id: first })).toMatchObject({ state: 'uploaded', failed_attempts: 1 })
  const next = await claim()
  expect(next.video_id).toBe(second)
  expect(await claimTranscode(database)).toBeNull()
  await handBackTranscode(database, next, { isFailure: false, retryMs: 60_000 })
  expect(await claim()).toMatchObject({ video_id: second, attempt: 2 })
  await database.run(`update videos set leased_until = leased_until - interval '1 minute' where id = $1`, [first])
  expect(await claim()).toMatchObject({ video_id: first, attempt: 2 })
})

test('the third failure ends a video, and an attempt that was overtaken changes nothing', async () => {
  const { database } = store
  const [video_id = ''] = await addWaitingVideos(database, await makeTeam(database))
  const attempts: Transcode[] = []
  for (let count = 0; count < 3; count += 1) {
    await until('it is due', () => hasWaitingVideos(store.database))
    attempts.push(await claim())
    for (const attempt of attempts) await handBackTranscode(database, attempt, { isFailure: true, retryMs: 0 })
  }
  expect(await transcodeFacts(database, { video_id })).toEqual({ state: 'failed', attempt: 3, failed_attempts: 3, is_leased: false })
  expect(await claimTranscode(database)).toBeNull()
})
