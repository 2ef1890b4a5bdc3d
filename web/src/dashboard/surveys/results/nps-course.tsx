import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { useTeam } from '../../shell/places.ts'
import { npsText } from '../../ui/numbers.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useSurveyRef } from '../queries.ts'
import type { AskedProps } from './asked.ts'
import { type Course, courseOf, yearTo } from './range.ts'

const WIDTH = 640
const HEIGHT = 150
const shortDay = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

interface Period {
  start: string
  score: number | null
  answered: number
}

/** The Net Promoter Score over time. Versions cannot be told apart there. */
export function NpsCourse({ survey, question, input }: AskedProps) {
  const { timezone } = useTeam().settings
  const isAsked = input.survey_version === undefined
  const own = courseOf(input, survey.created_at, timezone)
  const ofSurvey = useCourse(own, input, isAsked)
  const hasOlder = input.from === undefined && ofSurvey.data !== undefined && ofSurvey.data.answered < question.answered
  const year = yearTo(own.to)
  const ofYear = useCourse(year, input, isAsked && hasOlder)
  const [course, query] = hasOlder ? [year, ofYear] : [own, ofSurvey]
  if (!isAsked) return null
  if (query.isPending) return <Skeleton rows={1} height="12rem" />
  const periods = (query.data?.series ?? []).filter(({ score }) => score !== null)
  // One point is no course.
  if (periods.length < 2) return null
  return (
    <figure className="course">
      <h3>Over time, by {course.interval}</h3>
      <Line periods={query.data?.series ?? []} />
      <figcaption>
        <details>
          <summary>Show as a table</summary>
          <div className="table-holder">
            <table>
              <thead>
                <tr>
                  <th scope="col">{course.interval === 'day' ? 'Day' : 'From'}</th>
                  <th scope="col" className="number">
                    NPS
                  </th>
                  <th scope="col" className="number">
                    Answers
                  </th>
                </tr>
              </thead>
              <tbody>
                {periods.map(({ start, score, answered }) => (
                  <tr key={start}>
                    <th scope="row">{start}</th>
                    <td className="number">{score === null ? '–' : npsText(score)}</td>
                    <td className="number">{answered}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      </figcaption>
    </figure>
  )
}

function useCourse(course: Course, { language }: AskedProps['input'], enabled: boolean) {
  const ref = useSurveyRef()
  return useQuery({
    queryKey: ['survey-results', ref.survey_id, 'course', course, language],
    queryFn: () => api.analytics.nps({ ...ref, ...course, ...(language !== undefined && { language }) }),
    enabled,
    placeholderData: keepPreviousData,
  })
}

/** Periods without an answer have no point; the line goes on to the next one. */
function Line({ periods }: { periods: readonly Period[] }) {
  const step = WIDTH / Math.max(1, periods.length - 1)
  const points = periods.flatMap(({ start, score, answered }, index) =>
    score === null ? [] : [{ start, answered, score, x: index * step, y: ((100 - score) / 200) * HEIGHT }],
  )
  const [first, last] = [periods[0]?.start ?? '', periods.at(-1)?.start ?? '']
  return (
    <div className="course-chart" aria-hidden="true">
      <div>
        <span>100</span>
        <span>0</span>
        <span>−100</span>
      </div>
      <svg viewBox={`-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={`M0 0H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} className="grid" />
        <path d={`M0 ${HEIGHT / 2}H${WIDTH}`} className="zero" />
        <path d={`M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}`} className="line" />
        {points.map(({ start, answered, score, x, y }) => (
          <path key={start} d={`M${x.toFixed(1)} ${y.toFixed(1)}h0.01`} className="point">
            <title>{`${shortDay.format(new Date(start))}: ${npsText(score)} (${answered} answers)`}</title>
          </path>
        ))}
      </svg>
      <p>
        <span>{shortDay.format(new Date(first))}</span>
        <span>{shortDay.format(new Date(last))}</span>
      </p>
    </div>
  )
}
