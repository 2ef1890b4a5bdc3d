import type { Import, ImportRow } from '@earshot/contracts'
import { type Client, uploadImportFile } from '@earshot/contracts/client'
import { ExitCode } from './exit-codes.ts'
import { follow } from './follow.ts'
import { type ImportFile, openImportFile } from './import-file.ts'
import { commandIn, questionOf, type Scene, showEnd, showNothing, showPreview, willWrite } from './import-report.ts'
import { type Invocation, prepare } from './invoke.ts'
import { startProgress } from './progress.ts'
import { clientOptions } from './service.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** The rows that failed are listed last row first: that many are looked at for the first ones. */
const LISTED_ROWS = 100

type CreateInput = Parameters<Client['imports']['create']>[0]

interface Importer {
  terminal: Terminal
  client: Client
  /** Team, project and options of the import. */
  input: CreateInput
  scene: Scene
}

/** Tries out a file, shows what would happen, asks, and imports it. Returns the exit code. */
export async function importFile(invocation: Invocation): Promise<number> {
  const { terminal, given, positional: path = '' } = invocation
  requireAnswer(invocation)
  await using file = await openImportFile(path, terminal)
  const { client, input } = await prepare(invocation)
  const request = { ...input, target: 'testimonials', file_name: file.name } as CreateInput // The service checks the options.
  const scene = { terminal, isJson: given.json === true, place: placeOf(given) }
  const importer = { terminal, client, input: request, scene }
  const dryRun = await tryOut(importer, file)
  if (dryRun.state !== 'completed') return showEnd(scene, dryRun)
  if (!scene.isJson) showPreview(scene, dryRun, await firstFailedRows(importer, dryRun))
  if (given.dryRun) return showEnd(scene, dryRun)
  if (!willWrite(dryRun)) return showNothing(scene, dryRun)
  if (!given.yes && !(await isConfirmed(terminal, dryRun))) {
    terminal.writeError('Nothing was imported.\n')
    return ExitCode.success
  }
  return await run(importer, dryRun)
}

function requireAnswer({ terminal, given, positional }: Invocation): void {
  if (given.yes || given.dryRun) return
  if (given.json) throw new UsageError('--json requires --yes or --dry-run')
  if (positional === '-') throw new UsageError('the standard input cannot answer a question: add --yes or --dry-run')
  if (!terminal.canAsk) throw new UsageError('nobody can be asked, because the standard input is no terminal: add --yes or --dry-run')
}

/** Returns the flags with which other commands find the same project. */
function placeOf(given: Readonly<Record<string, unknown>>): string[] {
  return ['team', 'project'].flatMap((name) => (typeof given[name] === 'string' ? [`--${name}`, given[name]] : []))
}

/** Lets the service read the file without storing a record. */
async function tryOut(importer: Importer, file: ImportFile): Promise<Import> {
  const { terminal, client, input } = importer
  const csv = await file.inlineText()
  const source = csv === undefined ? { size_bytes: file.sizeBytes } : { csv }
  const created = await client.imports.create({ ...input, ...source, dry_run: true })
  if (created.upload) {
    await upload(terminal, created, file)
    await client.imports.complete(refOf(created))
  }
  using progress = startProgress(terminal, 'rows read', undefined)
  return await untilEnded(importer, created, { show: progress.show, signal: new AbortController().signal })
}

async function upload(terminal: Terminal, created: Parameters<typeof uploadImportFile>[1], file: ImportFile): Promise<void> {
  using progress = startProgress(terminal, 'kB uploaded', Math.ceil(file.sizeBytes / 1000))
  await uploadImportFile(clientOptions(terminal), created, () => file.stream((bytes) => progress.show(Math.ceil(bytes / 1000))))
}

async function firstFailedRows({ client }: Importer, dryRun: Import): Promise<ImportRow[]> {
  if (dryRun.totals.failed === 0) return []
  const { results } = await client.imports.rows.list({ ...refOf(dryRun), limit: LISTED_ROWS })
  return results.toReversed()
}

async function isConfirmed(terminal: Terminal, dryRun: Import): Promise<boolean> {
  return /^y(es)?$/i.test((await terminal.ask(questionOf(dryRun))).trim())
}

/** Imports the file of a dry run. Ctrl-C ends the command, and not the import. */
async function run(importer: Importer, dryRun: Import): Promise<number> {
  const { terminal, client, input, scene } = importer
  const signal = terminal.interruption()
  const created = await client.imports.create({ ...input, dry_run_id: dryRun.id })
  try {
    return showEnd(scene, await followRun(importer, created, { total: dryRun.totals.rows, signal }))
  } catch (error) {
    if (scene.isJson && !signal.aborted) throw error
    terminal.writeError(`The import goes on at the service. Look at it: ${commandIn(scene, 'imports', 'retrieve', created.id)}\n`)
    if (signal.aborted) return ExitCode.interrupted
    throw error
  }
}

async function followRun(importer: Importer, created: Import, { total, signal }: { total: number; signal: AbortSignal }): Promise<Import> {
  using progress = startProgress(importer.terminal, 'rows', total)
  return await untilEnded(importer, created, { show: progress.show, signal })
}

interface Following {
  show: (rows: number) => void
  signal: AbortSignal
}

/** Waits until an import has ended. */
function untilEnded({ terminal, client }: Importer, created: Import, { show, signal }: Following): Promise<Import> {
  return follow(terminal, {
    retrieve: () => client.imports.retrieve(refOf(created), { signal }),
    isEnded: ({ state }) => state !== 'running',
    show: ({ totals }) => show(totals.rows),
    signal,
  })
}

function refOf({ id, team_id, project_id }: Pick<Import, 'id' | 'team_id' | 'project_id'>) {
  return { team_id, project_id, import_id: id }
}
