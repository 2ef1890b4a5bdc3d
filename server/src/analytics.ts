import { Channel, contracts, type NpsCounts, npsOf, SubmissionKind, SubmissionState } from '@earshot/contracts'
import { type Dimension, type RangeFigures, readNpsPeriods, readOverview } from '@earshot/db'
import { implement } from './http/implement.ts'

export const analytics = implement(contracts.analytics, {
  overview: async ({ ctx, input }) => {
    const { timezone, current, previous, days } = await readOverview(ctx.tx, input, input)
    return { timezone, current: presentFigures(current), previous: presentFigures(previous), days }
  },
  nps: async ({ ctx, input }) => {
    const periods = await readNpsPeriods(ctx.tx, input, input)
    const [{ from, to, timezone }] = periods
    return {
      ...{ from, to, timezone },
      ...npsOf(addUp(periods)),
      series: periods.map(({ start, ...counts }) => {
        const { score, answered } = npsOf(counts)
        return { start, score, answered }
      }),
    }
  },
})

function presentFigures({ from, to, submissions, responses: { responses, ...nps } }: RangeFigures) {
  const figure = (dimension: Dimension, value = '') =>
    submissions.find((found) => found.dimension === dimension && found.value === value) ?? { count: 0, sum: 0 }
  const by = <Value extends string>(dimension: Dimension, values: readonly Value[]) =>
    // The names are the values.
    Object.fromEntries(values.map((value) => [value, figure(dimension, value).count])) as Record<Value, number>
  const rating = by('rating', ['1', '2', '3', '4', '5', 'none'])
  const moderated = figure('moderated')
  return {
    from,
    to,
    submissions: {
      total: figure('all').count,
      state: by('state', SubmissionState.options),
      kind: by('kind', SubmissionKind.options),
      channel: by('channel', Channel.options),
      rating,
      average_rating: meanRating(rating),
      public: figure('public').count,
      moderated: moderated.count,
      average_ms_to_moderation: moderated.count === 0 ? null : Math.round(moderated.sum / moderated.count),
    },
    responses,
    nps: npsOf(nps),
  }
}

/** Returns the mean of ratings with two decimals, from how often each was given. */
function meanRating({ none: _unrated, ...stars }: Record<string, number>): number | null {
  let [count, sum] = [0, 0]
  for (const [rating, times] of Object.entries(stars)) {
    count += times
    sum += Number(rating) * times
  }
  return count === 0 ? null : Math.round((sum / count) * 100) / 100
}

function addUp(periods: readonly NpsCounts[]): NpsCounts {
  const total = { promoters: 0, passives: 0, detractors: 0 }
  for (const { promoters, passives, detractors } of periods) {
    total.promoters += promoters
    total.passives += passives
    total.detractors += detractors
  }
  return total
}
