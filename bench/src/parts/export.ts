import { createClient } from '@earshot/contracts/client'
import { fillSubmissions } from '../growth/databases.ts'
import { openPlain } from '../plain-client.ts'
import type { PartReport } from '../report.ts'
import { residentMegabytes } from '../resident-megabytes.ts'
import { startService } from '../service-process.ts'
import { analyze, createTeams, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const GOAL_MB = 100
const SAMPLE_MS = 100

interface Run {
  records: number
  seconds: number
  /** How much more memory each side had than before, at most. */
  serviceMb: number
  clientMb: number
}

/** Measures the memory of both sides, and the rate, of an export of all submissions of a project. */
export async function benchExport({ submissions }: { submissions: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  const [team] = (await createTeams(database, 1)) as [Team]
  const plain = openPlain(service.address, 1, { session_replication_role: 'replica' })
  await fillSubmissions(plain, [team], submissions)
  await plain.end()
  await analyze(database)
  const records = createClient({ baseUrl: service.url, token: team.token }).submissions.export({
    team_id: team.id,
    project_id: team.project_id,
  })
  const ndjson = await measure(service.pid, records)
  if (ndjson.records !== submissions) throw new Error(`The export had ${ndjson.records} of ${submissions} records.`)
  const csv = await measure(service.pid, records.csv())
  return {
    title: `An export of ${submissions} submissions`,
    findings: [
      ['NDJSON, memory of the service', ndjson.serviceMb],
      ['NDJSON, memory of the client', ndjson.clientMb],
      ['CSV, memory of the service', csv.serviceMb],
    ].map(([what, megabytes]) => ({
      what: `${what}, increase`,
      figure: `${Number(megabytes).toFixed(0)} MB`,
      goal: `≤ ${GOAL_MB} MB`,
      met: Number(megabytes) <= GOAL_MB,
    })),
    details: [
      `NDJSON took ${ndjson.seconds.toFixed(0)} s (${(submissions / ndjson.seconds).toFixed(0)} records/s), CSV ${csv.seconds.toFixed(0)} s.`,
    ],
  }
}

async function measure(pid: number, items: AsyncIterable<unknown>): Promise<Run> {
  const before = { service: residentMegabytes(pid), client: residentMegabytes(process.pid) }
  const run: Run = { records: 0, seconds: 0, serviceMb: 0, clientMb: 0 }
  const startedMs = performance.now()
  let sampledMs = startedMs
  for await (const _item of items) {
    run.records += 1
    if (performance.now() - sampledMs < SAMPLE_MS) continue
    sampledMs = performance.now()
    run.serviceMb = Math.max(run.serviceMb, residentMegabytes(pid) - before.service)
    run.clientMb = Math.max(run.clientMb, residentMegabytes(process.pid) - before.client)
  }
  run.seconds = (performance.now() - startedMs) / 1000
  return run
}
