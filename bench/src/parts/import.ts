import { join } from 'node:path'
import type { Database } from '@earshot/db'
import { type Child, startChild } from '../child-process.ts'
import { median } from '../figures.ts'
import { requireSameRows } from '../imports/equality.ts'
import { writeImportFile } from '../imports/file.ts'
import type { LoadRequest } from '../imports/loader.ts'
import { largestDuring } from '../imports/memory.ts'
import { quiet } from '../imports/quiet.ts'
import { runImport, uploadFile, waitForNumbers } from '../imports/run-import.ts'
import { findPostgres } from '../postgres-process.ts'
import { type Finding, type PartReport, table } from '../report.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import { createTeams, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'
import { type Cost, costOf, medianOf } from '../webhooks/cost.ts'

const EVENTS_PER_ROW = 2
const GOALS = { withEvents: 0.5, suppressed: 0.7, memoryMb: 150 }

/** The service, its twin, and the file that both load. */
interface Contest {
  service: ServiceProcess
  database: Database
  loader: Child
  postgresPid: number
  path: string
  rows: number
}

/** Costs per row, round by round. */
interface Costs {
  service: Cost[]
  twin: Cost[]
}

interface Lengths {
  imports: { rows: number; rounds: number }
  submissions: number
}

/** Measures an import against a loader that writes the same rows and event bodies by COPY, and the memory of a large import. */
export async function benchImport({ imports: { rows, rounds }, submissions }: Lengths): Promise<PartReport> {
  const { withEvents, suppressed } = await measureCosts(rows, rounds)
  const memory = await measureMemory(submissions)
  return {
    title: `An import of ${rows} rows, and COPY of the same rows and event bodies`,
    findings: [
      ratioFinding('COPY ÷ import', withEvents, GOALS.withEvents),
      ratioFinding('COPY ÷ import, without events', suppressed, GOALS.suppressed),
      {
        what: `memory of the service, increase in ${submissions} rows`,
        figure: `${memory.moreMb.toFixed(0)} MB`,
        goal: `≤ ${GOALS.memoryMb} MB`,
        met: memory.moreMb <= GOALS.memoryMb,
      },
    ],
    details: [
      costsTable({
        import: withEvents.service,
        COPY: withEvents.twin,
        'import, without events': suppressed.service,
        'COPY, without events': suppressed.twin,
      }),
      `The import of ${submissions} rows took ${memory.seconds.toFixed(0)} s (${(submissions / memory.seconds).toFixed(0)} rows/s), with its upload.`,
    ],
  }
}

async function measureCosts(rows: number, rounds: number): Promise<{ withEvents: Costs; suppressed: Costs }> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_LOG_LEVEL: 'warn' })
  await using database = openBenchDatabase(service.address)
  await using loader = await startChild(new URL('../imports/loader.ts', import.meta.url))
  const path = join(directory.path, 'testimonials.csv')
  await writeImportFile(path, { rows })
  const contest = { service, database, loader, postgresPid: await findPostgres(database), path, rows }
  const withEvents: Costs = { service: [], twin: [] }
  const suppressed: Costs = { service: [], twin: [] }
  // The first round warms both up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [costs, suppress_events] of [[withEvents, false] as const, [suppressed, true] as const]) {
      const { service: ours, twin } = await runRound(contest, { suppress_events, isTwinFirst: round % 2 > 0 })
      if (round > 0) costs.service.push(ours)
      if (round > 0) costs.twin.push(twin)
    }
  }
  return { withEvents, suppressed }
}

/** Loads the file once by each, into teams without records, so that whatever looks for a record finds as much each time. */
async function runRound(contest: Contest, { suppress_events, isTwinFirst }: { suppress_events: boolean; isTwinFirst: boolean }) {
  const { database, path } = contest
  const teams = (await createTeams(database, 2)) as [Team, Team]
  const [imported, copied] = teams
  const ref = await uploadFile(contest.service, imported, path, { suppress_events })
  const early = isTwinFirst ? await copyCost(contest, copied, suppress_events) : null
  await quiet(contest.service, database)
  const service = await costOf({ pid: contest.service.pid, postgresPid: contest.postgresPid }, contest.rows, async () => {
    await runImport(contest.service, imported, ref, contest.rows)
    await waitForNumbers(database)
  })
  const twin = early ?? (await copyCost(contest, copied, suppress_events))
  await requireSameRows(database, teams, { externalId: `ID-${contest.rows - 1}`, events: suppress_events ? 0 : EVENTS_PER_ROW })
  return { service, twin }
}

async function copyCost({ service, database, loader, postgresPid, path, rows }: Contest, team: Team, suppress_events: boolean) {
  const message: LoadRequest = { address: service.address, path, team_id: team.id, project_id: team.project_id, suppress_events }
  await quiet(service, database)
  return costOf({ pid: loader.pid, postgresPid }, rows, () => loader.call(message))
}

/** Uploads and imports a file, in a service that has done nothing else. */
async function measureMemory(rows: number): Promise<{ moreMb: number; seconds: number }> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_LOG_LEVEL: 'warn' })
  await using database = openBenchDatabase(service.address)
  const [team] = (await createTeams(database, 1)) as [Team]
  const path = join(directory.path, 'testimonials.csv')
  await writeImportFile(path, { rows })
  await quiet(service, database)
  const startedMs = performance.now()
  const { moreMb } = await largestDuring([service.pid], async () => {
    await runImport(service, team, await uploadFile(service, team, path), rows)
    await waitForNumbers(database)
  })
  return { moreMb: moreMb[0] ?? Number.NaN, seconds: (performance.now() - startedMs) / 1000 }
}

function ratioFinding(what: string, { service, twin }: Costs, goal: number): Finding {
  const ratio = median(service.map((cost, round) => (twin[round]?.microseconds ?? Number.NaN) / cost.microseconds))
  return { what: `processor time, ${what}`, figure: ratio.toFixed(2), goal: `≥ ${goal}`, met: ratio >= goal }
}

function costsTable(costs: Record<string, Cost[]>): string {
  return table(
    ['loader', 'node µs/row', 'PostgreSQL µs/row', 'total µs/row', 'rows/s'],
    Object.entries(costs).map(([name, each]) => [
      name,
      medianOf(each, 'nodeMicroseconds').toFixed(1),
      medianOf(each, 'postgresMicroseconds').toFixed(1),
      medianOf(each, 'microseconds').toFixed(1),
      medianOf(each, 'perSecond').toFixed(0),
    ]),
  )
}
