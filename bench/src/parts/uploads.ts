import { execFileSync } from 'node:child_process'
import { type Child, startChild } from '../child-process.ts'
import { median } from '../figures.ts'
import { type PartReport, table } from '../report.ts'
import { residentMegabytes } from '../resident-megabytes.ts'
import { startService } from '../service-process.ts'
import { createTeams, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'
import { earshot, pipeTo, type Reserve, sendFiles, stockTus } from '../uploads/senders.ts'

const MEGABYTE = 1024 * 1024
const SERVERS = new URL('../uploads/file-servers.ts', import.meta.url)
const GOALS = { one: 0.8, many: 0.5, stock: 1, megabytes: 100 }
const SAMPLE_MS = 50
const PARALLEL = 20

interface Sizes {
  rounds: number
  /** Megabytes of one file, of each of twenty at once, and of each of twenty while memory is watched. */
  one: number
  many: number
  watched: number
}

/** Measures uploads beside a bare pipe into a file and the stock @tus/server, and the memory that they take. */
export async function benchUploads({ uploads }: { uploads: Sizes }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  const [team] = (await createTeams(database, 1)) as [Team]
  await using pipe = await startChild(SERVERS)
  await using stock = await startChild(SERVERS)
  const contenders: Record<string, Reserve> = {
    service: earshot(service.url, team),
    pipe: pipeTo(await urlOf(pipe, 'pipe')),
    stock: stockTus(await urlOf(stock, 'tus')),
  }
  const one = await alternate(contenders, uploads.rounds, { files: 1, bytes: uploads.one * MEGABYTE })
  const many = await alternate(contenders, uploads.rounds, { files: PARALLEL, bytes: uploads.many * MEGABYTE })
  const grown = await memoryOfUploads({ files: PARALLEL, bytes: uploads.watched * MEGABYTE })
  const finding = (what: string, ratio: number, goal: number) => ({
    ...{ what, figure: ratio.toFixed(2), goal: `≥ ${goal}`, met: ratio >= goal },
  })
  return {
    title: 'Uploads by tus',
    findings: [
      finding(`one of ${uploads.one} MB, rate ÷ a bare pipe`, ratioOf(one, 'pipe'), GOALS.one),
      finding(`one of ${uploads.one} MB, rate ÷ stock @tus/server`, ratioOf(one, 'stock'), GOALS.stock),
      finding(`${PARALLEL} of ${uploads.many} MB at once, rate ÷ a bare pipe`, ratioOf(many, 'pipe'), GOALS.many),
      finding(`${PARALLEL} of ${uploads.many} MB at once, rate ÷ stock @tus/server`, ratioOf(many, 'stock'), GOALS.stock),
      {
        what: `memory of the service, increase in ${PARALLEL} of ${uploads.watched} MB at once`,
        figure: `${grown.toFixed(0)} MB`,
        goal: `≤ ${GOALS.megabytes} MB`,
        met: grown <= GOALS.megabytes,
      },
    ],
    details: [
      table(
        ['server', 'one, MB/s', `${PARALLEL} at once, MB/s`],
        Object.keys(contenders).map((name) => [
          name,
          (uploads.one / median(one[name] ?? [])).toFixed(0),
          ((PARALLEL * uploads.many) / median(many[name] ?? [])).toFixed(0),
        ]),
      ),
    ],
  }
}

async function urlOf(child: Child, kind: string): Promise<string> {
  return (await child.call<{ url: string }>({ kind })).url
}

type Times = Record<string, number[]>

/** Lets each server take the same files in turn, in another order each round; the first round warms up. */
async function alternate(contenders: Record<string, Reserve>, rounds: number, load: Parameters<typeof sendFiles>[1]): Promise<Times> {
  const names = Object.keys(contenders)
  const times: Times = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    const turn = round % names.length
    for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
      // Nobody pays for what the one before left to be written: only the service flushes its files.
      execFileSync('sync')
      const seconds = await sendFiles(contenders[name] as Reserve, load)
      if (round > 0) times[name]?.push(seconds)
    }
  }
  return times
}

/** Returns the rate of the service ÷ that of another: the median over the rounds. */
function ratioOf(times: Times, other: string): number {
  return median((times.service ?? []).map((seconds, round) => (times[other]?.[round] ?? Number.NaN) / seconds))
}

/** Returns the most memory that uploads add to a service that has just started, in MB: one that has worked keeps some of its own. */
async function memoryOfUploads(load: Parameters<typeof sendFiles>[1]): Promise<number> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  const [team] = (await createTeams(database, 1)) as [Team]
  return await memoryOf(service.pid, () => sendFiles(earshot(service.url, team), load))
}

async function memoryOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = residentMegabytes(pid)
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, residentMegabytes(pid))
  }, SAMPLE_MS)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return most - before
}
