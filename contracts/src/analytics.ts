import { z } from 'zod'
import { durations } from './durations.ts'
import { operation } from './operation.ts'
import { PROJECT, ProjectRef } from './paths.ts'
import { day, dayRange, Nps, nps } from './schemas/figures.ts'
import { Id, Language } from './schemas/primitives.ts'
import type { Channel, SubmissionKind, SubmissionState } from './schemas/submission.ts'

const ANALYTICS = `${PROJECT}/analytics` as const

const RANGE = `Figures are by the day on which a record arrived, in the time zone of the team. Without \`from\` the range is the ${durations.analyticsDays} days that end with \`to\`, which is today unless said; a range has at most ${durations.analyticsMaxDays} days. Exact at the moment of the request.`

const Interval = z
  .enum(['day', 'week', 'month'])
  .meta({ id: 'AnalyticsInterval', description: 'Length of a period. Weeks begin on Monday.', example: 'week' })

const rangeShown = {
  from: day('First day of the range.'),
  to: day('Last day of the range.'),
  timezone: z.string().meta({ description: 'IANA time zone of the team.', example: 'Europe/Berlin' }),
}

const NpsPeriod = z
  .object({ start: day('First day of the period.'), score: nps.score, answered: nps.answered })
  .meta({ id: 'NpsPeriod', description: 'The Net Promoter Score of a day, a week or a month.' })

const NpsAnalytics = z
  .object({
    ...rangeShown,
    ...nps,
    series: z.array(NpsPeriod).meta({ description: 'Every period of the range, oldest first. Only days of the range count.' }),
  })
  .meta({ id: 'NpsAnalytics', description: 'The Net Promoter Score of a project, and its course.' })
export type NpsAnalytics = z.infer<typeof NpsAnalytics>

const count = (description: string, example: number) => z.int().meta({ description, example })

const SubmissionFigures = z
  .object({
    total: count('Submissions that arrived.', 12),
    state: z
      .object({
        pending: count('Those that wait for a moderator.', 2),
        approved: count('Those that were approved.', 9),
        rejected: count('Those that were rejected.', 1),
      } satisfies Record<SubmissionState, z.ZodType>)
      .meta({ id: 'FiguresByState', description: 'By the state that they are in now.' }),
    kind: z
      .object({
        text: count('From visitors and programs.', 9),
        video: count('With a video.', 1),
        testimonial: count('Entered by the team.', 2),
      } satisfies Record<SubmissionKind, z.ZodType>)
      .meta({ id: 'FiguresByKind', description: 'By kind.' }),
    channel: z
      .object({
        public: count('From visitors.', 8),
        api: count('By the API.', 2),
        mcp: count('By an agent.', 0),
        import: count('By an import.', 0),
        dashboard: count('By a member in a browser.', 2),
      } satisfies Record<Channel, z.ZodType>)
      .meta({ id: 'FiguresByChannel', description: 'By the channel through which they came.' }),
    rating: z
      .object({
        ...{ 1: count('One star.', 0), 2: count('Two stars.', 1), 3: count('Three stars.', 0), 4: count('Four stars.', 3) },
        ...{ 5: count('Five stars.', 6), none: count('Without a rating.', 2) },
      })
      .meta({ id: 'FiguresByRating', description: 'By rating.' }),
    average_rating: z.number().nullable().meta({ description: 'Mean of the ratings, with two decimals; null without one.', example: 4.4 }),
    public: count('Those that are public now.', 8),
    moderated: count('Those that were moderated.', 10),
    average_ms_to_moderation: z
      .int()
      .nullable()
      .meta({ description: 'Mean time from arrival to the last decision, in milliseconds; null without one.', example: 5_400_000 }),
  })
  .meta({ id: 'SubmissionFigures', description: 'Submissions that arrived in a range, without deleted ones.' })

const RangeFigures = z
  .object({
    from: day('First day.'),
    to: day('Last day.'),
    submissions: SubmissionFigures,
    responses: count('Responses to surveys.', 40),
    nps: Nps,
  })
  .meta({ id: 'RangeFigures', description: 'The figures of a range of days.' })

const Overview = z
  .object({
    timezone: rangeShown.timezone,
    current: RangeFigures,
    previous: RangeFigures.meta({ description: 'The figures of as many days before, to compare with.' }),
    days: z
      .array(
        z
          .object({ day: day('The day.'), submissions: count('Submissions.', 3), responses: count('Responses to surveys.', 5) })
          .meta({ id: 'DayFigures', description: 'The figures of a day.' }),
      )
      .meta({ description: 'Every day of the range, oldest first.' }),
  })
  .meta({ id: 'AnalyticsOverview', description: 'What arrived in a project, compared with the range before.' })
export type AnalyticsOverview = z.infer<typeof Overview>

export const analytics = {
  overview: operation({
    method: 'GET',
    path: `${ANALYTICS}/overview/`,
    summary: 'Retrieve the figures of a project',
    description: `Submissions and responses, each against as many days before. ${RANGE}`,
    scope: 'read:analytics',
    role: 'viewer',
    input: ProjectRef.extend(dayRange),
    output: Overview,
  }),
  nps: operation({
    method: 'GET',
    path: `${ANALYTICS}/nps/`,
    summary: 'Retrieve the Net Promoter Score of a project',
    description: `All answers to questions of type \`nps\` in the surveys of the project, except deleted ones. ${RANGE}`,
    scope: 'read:analytics',
    role: 'viewer',
    input: ProjectRef.extend({
      ...dayRange,
      interval: Interval.default('day'),
      survey_id: Id.optional().meta({ description: 'Only this survey.' }),
      language: Language.optional().meta({ description: 'Only responses in this language.' }),
    }),
    output: NpsAnalytics,
  }),
}
