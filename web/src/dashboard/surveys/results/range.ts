import { serviceNow } from '../../clock.ts'
import { dayIn } from '../../ui/day-in.ts'
import type { ResultsSearch } from '../address.ts'
import { defined } from '../address.ts'
import type { ResultsInput } from '../queries.ts'

const DAY_MS = 86_400_000
/** The longest course that is shown, as `analytics.nps` allows. */
const MAX_DAYS = 366
const FEW_DAYS = 31
const SOME_DAYS = 190

export interface Course {
  from: string
  to: string
  interval: 'day' | 'week' | 'month'
}

/** Returns the input of `surveys.results`. Days are those of the team. */
export function resultsInput(search: ResultsSearch, timezone: string): ResultsInput {
  const { range, from, to, language, version } = search
  const days = range === undefined ? { from, to } : { from: dayIn(timezone, serviceNow() - (Number(range) - 1) * DAY_MS), to: undefined }
  return defined({ ...days, language, survey_version: version })
}

/** The months of a year: of a survey with answers from before it was made, such as imported ones. */
export function yearTo(to: string): Course {
  return { from: dayOf(Date.parse(to) - (MAX_DAYS - 1) * DAY_MS), to, interval: 'month' }
}

/** Returns the days and the periods of a course over time: those of the results, as far as it can show them. */
export function courseOf({ from, to }: Pick<ResultsInput, 'from' | 'to'>, createdAt: string, timezone: string): Course {
  const last = to ?? dayIn(timezone, serviceNow())
  const first = from ?? dayIn(timezone, Date.parse(createdAt))
  const { from: earliest } = yearTo(last)
  const begin = [first, earliest].sort()[1] ?? first
  const days = (Date.parse(last) - Date.parse(begin)) / DAY_MS + 1
  return { from: begin, to: last, interval: intervalOf(days) }
}

function intervalOf(days: number): Course['interval'] {
  if (days <= FEW_DAYS) return 'day'
  return days <= SOME_DAYS ? 'week' : 'month'
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
