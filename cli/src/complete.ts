import { type Client, createClient } from '@earshot/contracts/client'
import { sizes } from '@earshot/contracts/constants'
import { type Candidate, profilesOf, toolArgument } from './complete-tools.ts'
import { flagValue, joinedWords, plainWords } from './complete-words.ts'
import { listOperations, type Operation } from './operation.ts'
import { isPage, valueAt } from './page.ts'
import { parentFlag, pathFieldsOf } from './path-fields.ts'
import { cut, oneLine } from './printable.ts'
import { call, clientOptions } from './service.ts'
import { findTeamAndProject } from './team-and-project.ts'
import { type Terminal, terminalWith } from './terminal.ts'

const LIMIT_MS = 1_000
const MAX_LABEL_WIDTH = 60
/** Fields that name a record, the best first. */
const LABELS = [['name'], ['tag'], ['title'], ['file_name'], ['body'], ['url'], ['event_type'], ['email'], ['label'], ['author', 'name']]
/** A shell inserts the word as it is. */
const SAFE_WORD = /^[\p{L}\p{N}_.:@/+-]+$/u

/**
 * Prints what may stand in the place of the last word, one a line with its description. Silent on any failure, and after a second.
 * The words are those of an unfinished command line, which may name a profile.
 */
export async function complete(
  words: readonly string[],
  { terminal, environmentWith }: { terminal: Terminal; environmentWith: (profile: string | undefined) => Promise<Terminal['env']> },
): Promise<number> {
  const before = joinedWords(words.slice(0, -1))
  const typed = words.at(-1) ?? ''
  const candidates = await environmentWith(flagValue(before, '--profile'))
    .then((env) => candidatesFor(before, terminalWith(terminal, { env })))
    .catch(() => [])
  const start = typed.toLowerCase()
  const isMeant = ([word, label]: Candidate) => word.toLowerCase().startsWith(start) || label.toLowerCase().includes(start)
  terminal.writeOut(
    candidates
      .filter(isMeant)
      .map((candidate) => `${candidate.join('\t')}\n`)
      .join(''),
  )
  return 0
}
async function candidatesFor(words: readonly string[], terminal: Terminal): Promise<readonly Candidate[]> {
  const flag = /^--([\w.-]+)=?$/.exec(words.at(-1) ?? '')?.[1]
  if (flag === 'profile') return profilesOf(terminal)
  const plain = plainWords(words)
  const argument = flag ? { field: fieldOf(flag) } : (toolArgument(plain, terminal) ?? { field: positionalOf(plain) })
  return 'candidates' in argument ? argument.candidates : recordsOf(argument.field, words, terminal)
}

/** Returns the field of a flag: `--webhook` names a `webhook_id`. */
function fieldOf(flag: string): string {
  const name = flag.replaceAll('-', '_').split('.').at(-1) ?? ''
  return name.endsWith('_id') || name === 'tags' || name === 'tag' ? name : `${name}_id`
}

function positionalOf(words: readonly string[]): string | undefined {
  const operation = listOperations().find((candidate) => candidate.words.every((word, index) => words[index] === word))
  return operation && pathFieldsOf(operation).positional
}

/** Asks the service for the records that a field may refer to. */
async function recordsOf(field: string | undefined, words: readonly string[], terminal: Terminal): Promise<Candidate[]> {
  const operations = listOperations()
  const list = field && operations.find(({ method, path, pages }) => method === 'GET' && pages && path === pathOfList(field, operations))
  if (!list) return []
  const signal = AbortSignal.timeout(LIMIT_MS)
  const { fetch: send = globalThis.fetch, ...options } = clientOptions(terminal)
  // Around what may renew the sign-in, which goes on.
  const fetch: typeof globalThis.fetch = (input, init) => send(input, { ...init, signal })
  const client = createClient({ ...options, fetch, maxRetries: 0 })
  const page = await call(client, list, { ...(await parentsOf(list, words, { client, terminal })), limit: sizes.pageItems }, {})
  return isPage(page) ? page.results.map(candidateOf).filter(([word]) => SAFE_WORD.test(word)) : []
}

/** The list of submissions is in front of a submission's id. */
function pathOfList(field: string, operations: readonly Operation[]): string | undefined {
  if (field === 'tags' || field === 'tag') return operations.find(({ name }) => name === 'tags.list')?.path
  const { path = '' } = operations.find(({ pathFields }) => pathFields.has(field)) ?? {}
  return path.slice(0, path.indexOf(`{${field}}`))
}

async function parentsOf(
  list: Operation,
  words: readonly string[],
  { client, terminal }: { client: Client; terminal: Terminal },
): Promise<Record<string, unknown>> {
  const given = (flag: string) => flagValue(words, flag) ?? ''
  const asked = { needsTeam: list.pathFields.has('team_id'), needsProject: list.pathFields.has('project_id') }
  const named = { team: given('--team'), project: given('--project') }
  const others = [...list.pathFields].filter((field) => field !== 'team_id' && field !== 'project_id')
  const ids = Object.fromEntries(others.map((field) => [field, given(parentFlag(field))]))
  return { ...(await findTeamAndProject(client, { ...asked, ...named }, terminal)), ...ids }
}

function candidateOf(record: unknown): Candidate {
  const label = LABELS.map((path) => valueAt(record, path)).find((value) => typeof value === 'string' && value !== '')
  const word = valueAt(record, ['id']) ?? label
  return [String(word), cut(oneLine(String(label ?? '')), MAX_LABEL_WIDTH)]
}
