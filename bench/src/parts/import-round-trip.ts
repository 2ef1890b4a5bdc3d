import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Import } from '@earshot/contracts'
import type { Database } from '@earshot/db'
import { quantile } from '../figures.ts'
import { compareRecords } from '../imports/compare-records.ts'
import { fillRecords } from '../imports/fill-records.ts'
import { largestDuring } from '../imports/memory.ts'
import { type Decisions, moderate } from '../imports/moderators.ts'
import { quiet } from '../imports/quiet.ts'
import { clientOf, type ImportRef, runImport, uploadFile, waitFor, waitForNumbers } from '../imports/run-import.ts'
import { type Finding, type PartReport, table } from '../report.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import { analyze, createTeams, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const GOALS = { exportMb: 100, importMb: 150 }
/** More than moderators can decide. */
const RANDOM_RECORDS = 50_000
const WARM_UP_SECONDS = 3

/** A step of the round trip: how long it took, and how much more memory each side had meanwhile than before. */
interface Step {
  seconds: number
  serviceMb: number
  clientMb: number
}

/** An undo, and moderators before it and beside it. */
interface Undo extends Step {
  undone: Import
  idle: Decisions
  beside: Decisions
  /** Records of the import that moderators decided on, and how many of them are still there. */
  decided: number
  kept: number
}

/** Measures an export as CSV, its import into another team, whether every record came back as it was, and the undo of the import. */
export async function benchImportRoundTrip({ submissions, seconds }: { submissions: number; seconds: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_LOG_LEVEL: 'warn' })
  await using database = openBenchDatabase(service.address)
  const [exported, imported] = (await createTeams(database, 2)) as [Team, Team]
  await fillRecords(service.address, exported, submissions)
  await analyze(database)
  const path = join(directory.path, 'submissions.csv')
  await quiet(service, database)
  const exporting = await stepOf(service, () =>
    pipeline(
      Readable.from(clientOf(service, exported).submissions.export({ team_id: exported.id, project_id: exported.project_id }).csv()),
      createWriteStream(path),
    ),
  )
  const ref = await uploadFile(service, imported, path)
  await quiet(service, database)
  const importing = await stepOf(service, async () => {
    await runImport(service, imported, ref, submissions)
    await waitForNumbers(database)
  })
  const { missing, added } = await compareRecords(database, { exported, imported })
  await quiet(service, database)
  const undo = await undoBesideModerators({ service, database, team: imported }, ref, seconds)
  return {
    title: `An export of ${submissions} submissions as CSV, its import, and the undo of that beside moderators`,
    findings: [
      zeroFinding('records that did not come back as they were', Math.max(missing, added)),
      memoryFinding('export', exporting, GOALS.exportMb),
      memoryFinding('import', importing, GOALS.importMb),
      ...undoFindings(undo),
    ],
    details: [stepsTable({ export: exporting, import: importing, undo }, submissions)],
  }
}

async function stepOf(service: ServiceProcess, work: () => Promise<unknown>): Promise<Step> {
  const startedMs = performance.now()
  const { moreMb } = await largestDuring([service.pid, process.pid], work)
  const [serviceMb = Number.NaN, clientMb = Number.NaN] = moreMb
  return { seconds: (performance.now() - startedMs) / 1000, serviceMb, clientMb }
}

async function undoBesideModerators(
  { service, database, team }: { service: ServiceProcess; database: Database; team: Team },
  ref: ImportRef,
  seconds: number,
): Promise<Undo> {
  const client = clientOf(service, team)
  const project = { team_id: team.id, project_id: team.project_id }
  const records = await randomRecords(database, ref)
  const warmUp = await moderate(client, project, { records, seconds: WARM_UP_SECONDS })
  const idle = await moderate(client, project, { records, seconds })
  const ended = new AbortController()
  let beside: Promise<Decisions> | undefined
  const step = await stepOf(service, async () => {
    beside = moderate(client, project, { records, signal: ended.signal })
    await client.imports.undo(ref)
    await waitFor(client, ref, ({ finished_at }) => finished_at !== null).finally(() => ended.abort())
  })
  const decisions = (await beside) as Decisions // Began in the step.
  const decided = [...warmUp.ids, ...idle.ids, ...decisions.ids]
  const kept = await countKept(database, ref, decided)
  return { ...step, undone: await client.imports.retrieve(ref), idle, beside: decisions, decided: decided.length, kept }
}

async function randomRecords({ client }: Database, { team_id, project_id, import_id }: ImportRef): Promise<string[]> {
  const rows = await client<{ id: string }[]>`
    select id
      from submissions
     where team_id = ${team_id} and project_id = ${project_id} and import_id = ${import_id}
     order by random()
     limit ${RANDOM_RECORDS}`
  return rows.map(({ id }) => id)
}

async function countKept({ client }: Database, { team_id, project_id }: ImportRef, decided: string[]): Promise<number> {
  const [row] = await client<[{ count: number }]>`
    select count(*)::int as count
      from submissions
     where team_id = ${team_id} and project_id = ${project_id} and id = any (${decided}::uuid[])
       and state <> 'pending' and deleted_at is null`
  return row.count
}

function undoFindings({ undone, idle, beside, decided, kept }: Undo): Finding[] {
  const { created, removed } = undone.totals
  const [before, during] = [quantile(idle.tookMs, 0.95), quantile(beside.tookMs, 0.95)]
  return [
    zeroFinding('undo: created, without removed and decided', created - removed - decided),
    zeroFinding('undo: decided records that it removed', decided - kept),
    { what: 'undo: decisions beside it', figure: `${beside.ids.length}, and ${beside.missed} too late`, goal: '', met: null },
    {
      what: `undo: decisions, p95 beside it ÷ idle (${before.toFixed(0)} → ${during.toFixed(0)} ms)`,
      figure: `× ${(during / before).toFixed(2)}`,
      goal: '',
      met: null,
    },
  ]
}

function zeroFinding(what: string, figure: number): Finding {
  return { what, figure: String(figure), goal: '0', met: figure === 0 }
}

function memoryFinding(what: string, { serviceMb }: Step, goalMb: number): Finding {
  return {
    what: `${what}, memory of the service, increase`,
    figure: `${serviceMb.toFixed(0)} MB`,
    goal: `≤ ${goalMb} MB`,
    met: serviceMb <= goalMb,
  }
}

function stepsTable(steps: Record<string, Step>, records: number): string {
  return table(
    ['step', 's', 'records/s', 'service + MB', 'client + MB'],
    Object.entries(steps).map(([name, { seconds, serviceMb, clientMb }]) => [
      name,
      seconds.toFixed(1),
      (records / seconds).toFixed(0),
      serviceMb.toFixed(0),
      clientMb.toFixed(0),
    ]),
  )
}
