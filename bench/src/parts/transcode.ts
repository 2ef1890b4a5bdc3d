import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createClient } from '@earshot/contracts/client'
import { fetch } from 'undici'
import { median, quantile } from '../figures.ts'
import { type PartReport, table } from '../report.ts'
import { startService } from '../service-process.ts'
import { createTeams, fillWithSubmissions, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'
import { earshot, sendBytes } from '../uploads/senders.ts'

const GOALS = { ffmpeg: 1.1, latency: 2 }
const SECONDS = 30
const REQUESTS_PER_SECOND = 50
const TRANSCODES = 2
/** What the transcoder is told to do, as options of ffmpeg. */
const SAME_QUALITY = [
  ...['-vf', 'scale=1280:720,format=yuv420p', '-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'high', '-crf', '23'],
  ...['-maxrate', '2500000', '-bufsize', '5000000', '-force_key_frames', 'expr:gte(t,n_forced*2)'],
  ...[
    '-af',
    'aresample=48000:async=1:first_pts=0,loudnorm=I=-16:TP=-1.5:LRA=11,aresample=48000',
    '-c:a',
    'aac',
    '-b:a',
    '128k',
    '-ac',
    '2',
  ],
  ...['-movflags', '+faststart'],
]
const TRANSCODE = new URL('../uploads/transcode-one.ts', import.meta.url).pathname

/** Measures a transcode beside the ffmpeg of the system at the same quality, and what two transcodes do to the API. */
export async function benchTranscode({ rounds }: { rounds: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  const recording = join(directory.path, 'recording.webm')
  await record(recording)
  const costs = { service: [] as number[], ffmpeg: [] as number[] }
  for (let round = 0; round < Math.max(2, Math.ceil(rounds / 3)); round += 1) {
    const folder = mkdtempSync(join(directory.path, 'clip-'))
    costs.service.push(await processorSeconds([process.execPath, '--no-warnings', TRANSCODE, recording, folder]))
    costs.ffmpeg.push(
      await processorSeconds(['ffmpeg', '-nostdin', '-y', '-loglevel', 'error', '-i', recording, ...SAME_QUALITY, join(folder, 'f.mp4')]),
    )
  }
  const ratio = median(costs.service.map((seconds, round) => seconds / (costs.ffmpeg[round] ?? Number.NaN)))
  const beside = await latencies(recording)
  const slower = beside.transcoding.p99 / beside.idle.p99
  return {
    title: 'Transcodes',
    findings: [
      {
        what: `processor time ÷ ffmpeg at the same quality, ${SECONDS} s of 720p`,
        figure: ratio.toFixed(2),
        goal: `≤ ${GOALS.ffmpeg}`,
        met: ratio <= GOALS.ffmpeg,
      },
      {
        what: `list of submissions beside ${TRANSCODES} transcodes, p99 ÷ idle`,
        figure: slower.toFixed(2),
        goal: `≤ ${GOALS.latency}`,
        met: slower <= GOALS.latency,
      },
    ],
    details: [
      table(
        ['', 'p50 ms', 'p99 ms', 'requests'],
        Object.entries(beside).map(([name, { p50, p99, count }]) => [name, p50.toFixed(1), p99.toFixed(1), String(count)]),
      ),
      `The transcode took ${median(costs.service).toFixed(1)} s of processor time, ffmpeg ${median(costs.ffmpeg).toFixed(1)} s.`,
    ],
  }
}

/** Makes a recording like that of a browser, with a picture that moves and sound. */
async function record(path: string): Promise<void> {
  const sources = ['-f', 'lavfi', '-i', `testsrc2=size=1280x720:rate=30:duration=${SECONDS}`]
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=330:duration=${SECONDS}`]
  const codecs = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '2500k', '-c:a', 'libopus']
  await promisify(execFile)('ffmpeg', ['-nostdin', '-y', '-loglevel', 'error', ...sources, ...sound, ...codecs, path])
}

/** Runs a command; returns the processor time of it and all that it waited for, as the shell tells it. */
async function processorSeconds(command: string[]): Promise<number> {
  const { stdout } = await promisify(execFile)('bash', ['-c', '"$@" >&2; times', 'bash', ...command])
  const [user = '', system = ''] = stdout.trim().split('\n').at(-1)?.split(' ') ?? []
  return [user, system].map(secondsOf).reduce((sum, seconds) => sum + seconds, 0)
}

/** Reads a time such as `1m2.345s`. */
function secondsOf(text: string): number {
  const [, minutes = 'NaN', seconds = 'NaN'] = /^(\d+)m([\d.]+)s$/.exec(text) ?? []
  return Number(minutes) * 60 + Number(seconds)
}

interface Latency {
  p50: number
  p99: number
  count: number
}

async function latencies(recording: string): Promise<{ idle: Latency; transcoding: Latency }> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_TRANSCODE_CONCURRENCY: String(TRANSCODES) })
  await using database = openBenchDatabase(service.address)
  const [team] = (await createTeams(database, 1)) as [Team]
  await fillWithSubmissions(database)
  const url = `${service.url}/api/v1/teams/${team.id}/projects/${team.project_id}/submissions/?limit=25`
  const list = (lasts: () => boolean | Promise<boolean>) => steadily(url, team.token, lasts)
  await list(during(2_000))
  const idle = await list(during(SECONDS * 500))
  const bytes = readFileSync(recording)
  const client = createClient({ baseUrl: service.url, token: team.token })
  const project = { team_id: team.id, project_id: team.project_id }
  for (let number = 0; number < TRANSCODES; number += 1) {
    const { url: target, headers, id } = await earshot(service.url, team)(bytes.length)
    await sendBytes({ url: target, headers, id }, bytes)
    await client.videos.complete({ ...project, video_id: id })
  }
  const running = async () =>
    (await database.client<{ count: number }[]>`select count(*)::int from videos where state = 'transcoding'`)[0]?.count ?? 0
  while ((await running()) < TRANSCODES) await delay(50)
  const transcoding = await list(async () => (await running()) === TRANSCODES)
  return { idle, transcoding }
}

function during(ms: number): () => boolean {
  const untilMs = performance.now() + ms
  return () => performance.now() < untilMs
}

/** Sends requests at a steady rate for as long as it lasts. */
async function steadily(url: string, token: string, lasts: () => boolean | Promise<boolean>): Promise<Latency> {
  const times: number[] = []
  const requests: Promise<void>[] = []
  for (let number = 0; number % REQUESTS_PER_SECOND !== 0 || (await lasts()); number += 1) {
    const startedMs = performance.now()
    requests.push(
      fetch(url, { headers: { authorization: `Bearer ${token}` } }).then(async (response) => {
        await response.arrayBuffer()
        times.push(performance.now() - startedMs)
      }),
    )
    await delay(1_000 / REQUESTS_PER_SECOND)
  }
  await Promise.all(requests)
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), count: times.length }
}
