import { type Client, createClient } from '@earshot/contracts/client'
import { sizes } from '@earshot/contracts/constants'
import { listOperations, type Operation } from './operation.ts'
import { isPage, valueAt } from './page.ts'
import { parentFlag, pathFieldsOf } from './path-fields.ts'
import { cut, oneLine } from './printable.ts'
import { call, clientOptions } from './service.ts'
import { findTeamAndProject } from './team-and-project.ts'
import type { Terminal } from './terminal.ts'

const LIMIT_MS = 1_000
const MAX_LABEL_WIDTH = 60
/** Fields that name a record, the best first. */
const LABELS = [['name'], ['tag'], ['title'], ['file_name'], ['body'], ['url'], ['event_type'], ['email'], ['label'], ['author', 'name']]
/** A shell inserts the word as it is. */
const SAFE_WORD = /^[\p{L}\p{N}_.:@/+-]+$/u

/** Prints what may stand in the place of the last word, one a line with its description. Silent on any failure, and after a second. */
export async function complete(words: readonly string[], terminal: Terminal): Promise<number> {
  const candidates = await candidatesFor(words.slice(0, -1), terminal).catch(() => [])
  const typed = words.at(-1) ?? ''
  const isMeant = ([word, label]: readonly [string, string]) =>
    SAFE_WORD.test(word) && (word.startsWith(typed) || label.toLowerCase().includes(typed.toLowerCase()))
  terminal.writeOut(
    candidates
      .filter(isMeant)
      .map((candidate) => `${candidate.join('\t')}\n`)
      .join(''),
  )
  return 0
}

async function candidatesFor(words: readonly string[], terminal: Terminal): Promise<[string, string][]> {
  const operations = listOperations()
  const field = fieldAfter(words, operations)
  const list = field && operations.find(({ method, path, pages }) => method === 'GET' && pages && path === pathOfList(field, operations))
  if (!list) return []
  const signal = AbortSignal.timeout(LIMIT_MS)
  const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, { ...init, signal })
  const client = createClient({ ...clientOptions(terminal, fetch), maxRetries: 0 })
  const page = await call(client, list, { ...(await parentsOf(list, words, { client, terminal })), limit: sizes.pageItems }, {})
  return isPage(page) ? page.results.map(candidateOf) : []
}

/** Returns the name of the field that the next word is for. */
function fieldAfter(words: readonly string[], operations: readonly Operation[]): string | undefined {
  const last = (words.at(-1) === '=' ? words.at(-2) : words.at(-1)) ?? ''
  const flag = /^--([\w.-]+)$/.exec(last)?.[1]?.replaceAll('-', '_').split('.').at(-1)
  if (flag) return flag.endsWith('_id') || flag === 'tags' || flag === 'tag' ? flag : `${flag}_id`
  const operation = operations.find((candidate) => candidate.words.every((word, index) => words[index] === word))
  return operation && pathFieldsOf(operation).positional
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
  const given = (flag: string) => words[words.indexOf(flag) + 1] ?? ''
  const asked = { needsTeam: list.pathFields.has('team_id'), needsProject: list.pathFields.has('project_id') }
  const named = { team: words.includes('--team') ? given('--team') : '', project: words.includes('--project') ? given('--project') : '' }
  const others = [...list.pathFields].filter((field) => field !== 'team_id' && field !== 'project_id')
  const ids = Object.fromEntries(others.map((field) => [field, words.includes(parentFlag(field)) ? given(parentFlag(field)) : '']))
  return { ...(await findTeamAndProject(client, { ...asked, ...named }, terminal)), ...ids }
}

function candidateOf(record: unknown): [string, string] {
  const label = LABELS.map((path) => valueAt(record, path)).find((value) => typeof value === 'string' && value !== '')
  const word = valueAt(record, ['id']) ?? label
  return [String(word), cut(oneLine(String(label ?? '')), MAX_LABEL_WIDTH)]
}
