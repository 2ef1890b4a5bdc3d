import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Sql } from 'postgres'
import type { PartReport } from '../report.ts'
import { measureClaims } from '../scale/dispatch.ts'
import { fillHistory } from '../scale/fill-history.ts'
import { fillSubmissions } from '../scale/fill-submissions.ts'
import { fillTeams, type MeasuredTeams } from '../scale/fill-teams.ts'
import { measureService } from '../scale/measure.ts'
import { reportOf, type Stage } from '../scale/report.ts'
import { openSite, type Site } from '../scale/site.ts'
import { ENDPOINTS_PER_TEAM, isExtrapolated, type Sizes, WANTED_ATTEMPTS } from '../scale/sizes.ts'

/** With their indexes; an attempt with its share of deliveries and events. */
const BYTES = { attempt: 1_100, submission: 900, spare: 8_000_000_000 }
const GIGABYTE = 1_000_000_000

const digits = new Intl.NumberFormat('en')

/** Measures a large installation on the embedded PostgreSQL, beside a tenth of the history and all of it. */
export async function benchScale({ scale: sizes }: { scale: Sizes }): Promise<PartReport> {
  const [few, many] = sizes.attempts
  checkDisk(many, sizes)
  await using site = await openSite()
  const teams = await site.withPostgres(async (parts) => {
    const made = await fillTeams(site, parts, sizes)
    await fillSubmissions(parts.client, sizes)
    note('Filled teams and submissions')
    return made
  })
  const first = await measureStage(site, { sizes, teams, round: 0, attempts: few })
  const last = await measureStage(site, { sizes, teams, round: 1, attempts: many })
  const endpoints = digits.format(sizes.teams * ENDPOINTS_PER_TEAM)
  return reportOf([first, last], {
    title: `${endpoints} endpoints, ${digits.format(sizes.submissions)} submissions and ${digits.format(sizes.teams)} teams, by stored attempts`,
    notes: [notesOf(last)],
  })
}

async function measureStage(
  site: Site,
  { attempts, sizes, ...round }: { attempts: number; sizes: Sizes; teams: MeasuredTeams; round: number },
): Promise<Stage & { gigabytes: number }> {
  const { claims, gigabytes } = await site.withPostgres(async (parts) => {
    await fillHistory(parts.client, sizes, attempts)
    note(`Filled ${digits.format(attempts)} attempts`)
    // As autovacuum would have done over the month.
    await parts.client`vacuum analyze`
    await parts.client`checkpoint`
    note('Vacuumed')
    return { gigabytes: await sizeOf(parts.client), claims: await measureClaims(parts, sizes) }
  })
  const figures = [...claims, ...(await measureService(site, { sizes, ...round }))]
  note(`Measured beside ${digits.format(attempts)} attempts`)
  return { attempts, gigabytes, figures }
}

function notesOf({ attempts, gigabytes }: { attempts: number; gigabytes: number }): string {
  const server =
    'On the embedded PostgreSQL with its settings: 128 MB of shared buffers, and the files in the cache of the system as far as they fit.'
  const disk = `${gigabytes.toFixed(1)} GB in the database beside ${digits.format(attempts)} attempts.`
  const build = 'The indexes of past days are built after their rows, so they are denser than indexes that grew.'
  if (!isExtrapolated(attempts)) return `${server} ${disk} ${build}`
  const needed = (WANTED_ATTEMPTS * BYTES.attempt) / GIGABYTE
  const more = `The column of ${digits.format(WANTED_ATTEMPTS)} attempts, which need ${needed.toFixed(0)} GB, is not measured. It continues the line through the other two: what PostgreSQL finds by an index grows less, so it is the most to expect. Where the second is less than a tenth above the first, it repeats the second.`
  return `${server} ${disk} ${build}\n\n${more}`
}

function checkDisk(attempts: number, { submissions }: Sizes): void {
  const { bavail, bsize } = statfsSync(tmpdir())
  const needed = attempts * BYTES.attempt + submissions * BYTES.submission + BYTES.spare
  if (bavail * bsize >= needed) return
  const free = `${((bavail * bsize) / GIGABYTE).toFixed(0)} GB of ${tmpdir()} are free`
  throw new Error(
    `${digits.format(attempts)} attempts need ${(needed / GIGABYTE).toFixed(0)} GB; ${free}. Give fewer with --attempts, or another disk with TMPDIR.`,
  )
}

async function sizeOf(client: Sql): Promise<number> {
  const [row] = await client<[{ bytes: number }]>`select pg_database_size(current_database())::float8 as bytes`
  return row.bytes / GIGABYTE
}

/** Tells on the terminal how far a run of an hour is. */
function note(text: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`)
}
