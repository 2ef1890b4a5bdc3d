import { randomBytes } from 'node:crypto'
import { createReadStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@earshot/contracts/client'
import { openFileStore } from '@earshot/drivers'
import { Agent, fetch } from 'undici'
import { startChild } from '../child-process.ts'
import { median } from '../figures.ts'
import type { PartReport } from '../report.ts'
import { residentMegabytes } from '../resident-megabytes.ts'
import { startService } from '../service-process.ts'
import { createTeams, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const VIEWERS = 200
const RANGE = 262_144
const CLIP = 8 * 1_048_576
const RANGES_PER_VIEWER = 16
const GOAL = 0.7

/** Measures a clip that many viewers watch in ranges, beside a file server that asks nobody. */
export async function benchPlayback({ rounds }: { rounds: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  const [team] = (await createTeams(database, 1)) as [Team]
  const path = join(directory.path, 'clip.mp4')
  writeFileSync(path, randomBytes(CLIP))
  const client = createClient({ baseUrl: service.url, token: team.token })
  const project = { team_id: team.id, project_id: team.project_id }
  const { video } = await client.videos.reserve({ ...project, file_name: 'clip.mp4', content_type: 'video/mp4', size_bytes: CLIP })
  const store = await openFileStore(join(directory.path, 'blobs'))
  await store.put('videos/clip.mp4', createReadStream(path), { sizeBytes: CLIP })
  await store.close()
  await database.client`
    update videos
       set state = 'ready', attempt = 1, clip_key = 'videos/clip.mp4', clip_bytes = ${CLIP}, poster_key = 'videos/clip.mp4', poster_bytes = 1,
           duration_ms = 60000, width = 640, height = 360
     where id = ${video.id}`
  const { playback_url } = await client.videos.retrieve({ ...project, video_id: video.id })
  const { pathname, search } = new URL(playback_url ?? '')
  await using files = await startChild(new URL('../uploads/file-servers.ts', import.meta.url))
  const bare = (await files.call<{ url: string }>({ kind: 'files', path })).url
  const urls = { service: service.url + pathname + search, bare }

  const before = residentMegabytes(service.pid)
  const ratios: number[] = []
  let rate = 0
  for (let round = 0; round <= rounds; round += 1) {
    const first = round % 2 === 0 ? 'service' : 'bare'
    const seconds = { service: 0, bare: 0 }
    for (const name of first === 'service' ? (['service', 'bare'] as const) : (['bare', 'service'] as const)) {
      seconds[name] = await watch(urls[name])
    }
    if (round > 0) ratios.push(seconds.bare / seconds.service)
    rate = (VIEWERS * RANGES_PER_VIEWER) / seconds.service
  }
  const ratio = median(ratios)
  return {
    title: `Playback by ${VIEWERS} viewers`,
    findings: [
      { what: 'rate ÷ a bare file server', figure: ratio.toFixed(2), goal: `≥ ${GOAL}`, met: ratio >= GOAL },
      {
        what: 'memory of the service, increase',
        figure: `${(residentMegabytes(service.pid) - before).toFixed(0)} MB`,
        goal: 'flat',
        met: null,
      },
    ],
    details: [`Ranges of ${RANGE / 1024} KB, ${rate.toFixed(0)} a second: each reads again whether the video may be watched.`],
  }
}

/** Lets viewers read ranges of the clip one after the other; returns the seconds that it took. */
async function watch(url: string): Promise<number> {
  const dispatcher = new Agent({ connections: VIEWERS, pipelining: 1 })
  const startedMs = performance.now()
  const viewer = async (number: number) => {
    for (let turn = 0; turn < RANGES_PER_VIEWER; turn += 1) {
      const start = ((number + turn) * RANGE) % (CLIP - RANGE)
      const response = await fetch(url, { dispatcher, headers: { range: `bytes=${start}-${start + RANGE - 1}` } })
      const { byteLength } = await response.arrayBuffer()
      if (response.status !== 206 || byteLength !== RANGE) throw new Error(`${url} answered ${response.status} with ${byteLength} bytes.`)
    }
  }
  await Promise.all(Array.from({ length: VIEWERS }, (_viewer, number) => viewer(number)))
  await dispatcher.close()
  return (performance.now() - startedMs) / 1000
}
