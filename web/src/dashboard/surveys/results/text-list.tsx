import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { ErrorNote } from '../../ui/error-note.tsx'
import { More } from '../../ui/more.tsx'
import { Ago } from '../../ui/time.tsx'
import { type QuestionResults, useSurveyRef } from '../queries.ts'
import { AnswerText } from './answer-text.tsx'
import type { AskedProps } from './asked.ts'

const FEW = 5
const PAGE = 25

const route = getRouteApi('/$team/$project/surveys/$survey/results')
const PAGES = 'pages'

type Texts = NonNullable<QuestionResults['texts']>

/** The answers in words, newest first. More of them are loaded on demand. */
export function TextList({ question, input }: AskedProps) {
  const ref = useSurveyRef()
  const params = route.useParams()
  const query = useInfiniteQuery({
    queryKey: ['survey-results', ref.survey_id, PAGES, question.question_id, input],
    queryFn: async ({ pageParam: cursor }): Promise<Texts> => {
      const page = { question_id: question.question_id, texts_limit: PAGE, ...(cursor !== null && { texts_cursor: cursor }) }
      const { questions } = await api.surveys.results({ ...ref, ...input, ...page })
      return questions[0]?.texts ?? { results: [], next_cursor: null }
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: false,
  })
  const shown = query.data?.pages.flatMap(({ results }) => results) ?? question.texts?.results.slice(0, FEW) ?? []
  const hasNextPage = query.data ? query.hasNextPage : question.answered > shown.length
  const isFetchingNextPage = query.data ? query.isFetchingNextPage : query.isFetching
  const fetchNextPage = () => (query.data ? query.fetchNextPage() : query.refetch())
  return (
    <>
      <ul className="text-answers">
        {shown.map(({ response_id, value, completed_at }) => (
          <li key={response_id}>
            <AnswerText type={question.type} value={value} />
            <Link to="/$team/$project/surveys/$survey/responses" params={params} search={{ response: response_id }}>
              <span className="sr">Response of </span>
              <Ago at={completed_at} />
            </Link>
          </li>
        ))}
      </ul>
      {query.error && <ErrorNote error={query.error} onRetry={() => void fetchNextPage()} />}
      <More query={{ hasNextPage, isFetchingNextPage, fetchNextPage }} />
    </>
  )
}
