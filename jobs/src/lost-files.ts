import { type Database, listVideoFiles, nextTeamWithVideos, noteLostFiles, type VideoFiles, type VideoRef } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'
import type { Log } from './log.ts'

const LOWEST_ID = '00000000-0000-0000-0000-000000000000'
/** The most videos with lost files that one run takes note of. */
const MAX_LOST = 1_000

interface Context {
  database: Database
  blobStore: BlobStore
  log: Log
  signal: AbortSignal
}

/**
 * Looks in the store for the files of all videos, team by team, and takes note of those that it has lost. A store that has no file of
 * any video is another store, or is not mounted: then nothing is changed.
 */
export async function findLostFiles(context: Context): Promise<void> {
  const { database, log, signal } = context
  const lost: VideoFiles[] = []
  let found = 0
  for (let team = await nextTeamWithVideos(database, null); team !== null; team = await nextTeamWithVideos(database, team)) {
    const stored = await keysOf(team, context)
    for await (const video of videosOf(team, database)) {
      signal.throwIfAborted()
      const absent = without(video, (key) => stored.has(key))
      found += keysIn(video).length - keysIn(absent).length
      if (keysIn(absent).length > 0 && lost.length < MAX_LOST) lost.push(absent)
    }
  }
  if (found === 0 && lost.length > 0) log.error({ videos: lost.length }, 'The store has no file of any video: is it the right one?')
  else for (const video of lost) await note(video, context)
}

/** The keys of one team alone are in memory at a time. */
async function keysOf(team_id: string, { blobStore }: Context): Promise<Set<string>> {
  const keys = new Set<string>()
  for (const folder of ['videos', 'uploads']) for await (const key of blobStore.list(`${folder}/${team_id}/`)) keys.add(key)
  return keys
}

async function* videosOf(team_id: string, database: Database): AsyncGenerator<VideoFiles> {
  let last: VideoRef = { team_id, project_id: LOWEST_ID, video_id: LOWEST_ID }
  for (;;) {
    const page = await listVideoFiles(database, last)
    yield* page
    const end = page.at(-1)
    if (!end) return
    last = end
  }
}

/** What was stored or deleted since the keys were listed is looked up again: a key is never used twice. */
async function note(video: VideoFiles, { database, blobStore, log }: Context): Promise<void> {
  const present = new Set<string>()
  for (const key of keysIn(video)) if ((await blobStore.size(key)) !== null) present.add(key)
  const lost = without(video, (key) => present.has(key))
  if (!(await noteLostFiles(database, lost))) return
  const { team_id, video_id } = video
  log.warn({ team_id, video_id, keys: keysIn(lost) }, 'The store has lost files of a video')
}

function keysIn({ clip_key, poster_key, parts }: VideoFiles): string[] {
  return [clip_key, poster_key, ...parts].filter((key) => key !== null)
}

function without({ clip_key, poster_key, parts, ...ref }: VideoFiles, isPresent: (key: string) => boolean): VideoFiles {
  const absent = (key: string | null) => (key === null || isPresent(key) ? null : key)
  return { ...ref, clip_key: absent(clip_key), poster_key: absent(poster_key), parts: parts.filter((key) => !isPresent(key)) }
}
