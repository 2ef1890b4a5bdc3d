const TABS = ['questions', 'translations', 'settings'] as const
export const DAY_RANGES = ['7', '30', '90', '365'] as const
const CHANNELS = ['public', 'api', 'mcp', 'import', 'dashboard'] as const
const GROUPS = ['promoters', 'passives', 'detractors'] as const
const DAY = /^\d{4}-\d\d-\d\d$/

/** What the builder shows, as it stands in the address. */
export interface BuilderSearch {
  tab?: (typeof TABS)[number]
  /** The `ref` of the question that is open. */
  question?: string
  /** The language that is translated. */
  language?: string
}

/** What the results are about. */
export interface ResultsSearch {
  /** The last so many days, instead of `from` and `to`. */
  range?: (typeof DAY_RANGES)[number]
  from?: string
  to?: string
  language?: string
  version?: number
}

/** Which responses are listed, and which one is open. */
export interface ResponsesSearch extends Pick<ResultsSearch, 'language' | 'version'> {
  channel?: (typeof CHANNELS)[number]
  /** By the answer to the NPS question. */
  group?: (typeof GROUPS)[number]
  /** Words to search for. */
  q?: string
  question_id?: string
  /** An answer, with `question_id`. */
  value?: string
  response?: string
}

/** Reads the address of the builder. What it does not know is left out, so that an old link still opens. */
export function readBuilder(search: Record<string, unknown>): BuilderSearch {
  return defined({
    tab: TABS.find((tab) => tab === search.tab),
    question: textOf(search.question),
    language: textOf(search.language),
  })
}

export function readResults(search: Record<string, unknown>): ResultsSearch {
  return defined({
    range: DAY_RANGES.find((range) => range === String(search.range)),
    from: dayOf(search.from),
    to: dayOf(search.to),
    language: textOf(search.language),
    version: versionOf(search.version),
  })
}

export function readResponses(search: Record<string, unknown>): ResponsesSearch {
  return defined({
    language: textOf(search.language),
    version: versionOf(search.version),
    channel: CHANNELS.find((channel) => channel === search.channel),
    group: GROUPS.find((group) => group === search.group),
    q: textOf(search.q),
    question_id: textOf(search.question_id),
    value: textOf(search.value),
    response: textOf(search.response),
  })
}

type Defined<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> }

/** Leaves out what has no value. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  // Proven: only fields with a value are kept.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}

function textOf(value: unknown): string | undefined {
  // The address is read as JSON, so digits and `true` come as such.
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) || undefined : undefined
}

function dayOf(value: unknown): string | undefined {
  return typeof value === 'string' && DAY.test(value) ? value : undefined
}

function versionOf(value: unknown): number | undefined {
  const version = Number(value)
  return Number.isSafeInteger(version) && version > 0 ? version : undefined
}
