import { type Entry, GROUPS } from './entry.ts'
import { matchOf } from './match.ts'
import { recentIds } from './recent.ts'

/** More than anybody reads. */
const MAX_IN_GROUP = 12

interface Group {
  group: Entry['group']
  entries: readonly Entry[]
}

/** What is shown: all that is near before something is typed, then what fits, best first. Found submissions come last. */
export function groupsOf(query: string, entries: readonly Entry[], found: readonly Entry[]): readonly Group[] {
  const fitting = query.trim() === '' ? nearOf(entries) : fittingOf(query, entries)
  const all = [...fitting, ...found]
  const groups = GROUPS.map((group) => ({ group, entries: all.filter((entry) => entry.group === group) }))
  return groups.filter(({ entries: some }) => some.length > 0)
}

function nearOf(entries: readonly Entry[]): Entry[] {
  const recent = recentIds()
    .map((id) => entries.find((entry) => entry.id === id))
    .filter((entry) => entry !== undefined)
  const others = entries.filter((entry) => entry.isDeep !== true && !recent.includes(entry))
  return [...recent.map((entry) => ({ ...entry, group: 'Recent' as const })), ...others]
}

/** The best of each group. Entries that fit as well stay in their order. */
function fittingOf(query: string, entries: readonly Entry[]): Entry[] {
  const scored = entries
    .map((entry) => ({ entry, score: matchOf(query, entry.text, `${entry.detail ?? ''} ${entry.keywords ?? ''}`) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ entry }) => entry)
  return GROUPS.flatMap((group) => scored.filter((entry) => entry.group === group).slice(0, MAX_IN_GROUP))
}
