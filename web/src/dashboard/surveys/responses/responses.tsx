import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { useHasRole } from '../../shell/places.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { More } from '../../ui/more.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { defined, type ResponsesSearch } from '../address.ts'
import { resultsQuery, type Survey, useSurveyRef } from '../queries.ts'
import { SurveyPage, WithSurvey } from '../survey-page.tsx'
import { ExportMenu } from './export-menu.tsx'
import { listInput } from './list-input.ts'
import { ResponseFilters } from './response-filters.tsx'
import { ResponsePanel } from './response-panel.tsx'
import { ResponseRow, rowId } from './response-row.tsx'
import '../results/results.css'
import './responses.css'

const route = getRouteApi('/$team/$project/surveys/$survey/responses')

/** All responses to a survey, newest first, and the one that is open. */
export function SurveyResponses() {
  return <WithSurvey>{(survey) => <ResponsesOf survey={survey} />}</WithSurvey>
}

type Changed = { [Name in keyof ResponsesSearch]?: ResponsesSearch[Name] | undefined }

function ResponsesOf({ survey }: { survey: Survey }) {
  const ref = useSurveyRef()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const isMember = useHasRole('member')
  const { response: openId, ...filters } = search
  const input = listInput(filters)
  const list = useInfiniteQuery({
    queryKey: ['responses', ref.survey_id, input],
    queryFn: ({ pageParam: cursor }) => api.responses.list({ ...ref, ...input, ...(cursor !== null && { cursor }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  })
  const change = (changed: Changed) =>
    void navigate({ search: (before) => defined({ ...before, ...changed }), replace: 'q' in changed, resetScroll: false })
  const close = async (id: string) => {
    await navigate({ search: ({ response: _response, ...before }) => before, resetScroll: false })
    // Where the reader came from.
    document.getElementById(rowId(id))?.focus()
  }
  return (
    <SurveyPage survey={survey} actions={isMember && <ExportMenu input={input} />}>
      <ResponseFilters survey={survey} search={search} onChange={change} />
      <AnswerFilter search={search} onClear={() => change({ question_id: undefined, value: undefined })} />
      <div className="responses" data-open={openId !== undefined || undefined}>
        <div>
          <Loaded query={list} skeleton={<Skeleton rows={6} height="4rem" />}>
            {({ pages }) => {
              const responses = pages.flatMap(({ results }) => results)
              return (
                <>
                  <ul className="response-list" aria-label="Responses" aria-busy={list.isPlaceholderData || undefined}>
                    {responses.map((response) => (
                      <ResponseRow key={response.id} response={response} survey={survey} isOpen={response.id === openId} />
                    ))}
                  </ul>
                  {responses.length === 0 && !list.hasNextPage && (
                    <NoResponses
                      isNarrowed={Object.keys(filters).length > 0}
                      onWiden={() => void navigate({ search: defined({ response: openId }) })}
                    />
                  )}
                  <More query={list} />
                </>
              )
            }}
          </Loaded>
        </div>
        {openId !== undefined && <ResponsePanel key={openId} id={openId} survey={survey} onClose={() => void close(openId)} />}
      </div>
    </SurveyPage>
  )
}

/** Says which answer the list is narrowed to, when one of the results led here. */
function AnswerFilter({ search: { question_id, value }, onClear }: { search: ResponsesSearch; onClear: () => void }) {
  const results = useQuery({ ...resultsQuery(useSurveyRef()), enabled: question_id !== undefined })
  if (question_id === undefined) return null
  const question = results.data?.questions.find((one) => one.question_id === question_id)
  const label = question?.choices?.find((choice) => choice.value === value)?.label ?? value
  return (
    <p className="answer-filter">
      <span dir="auto">
        {question?.title ?? 'One question'}
        {label !== undefined && (
          <>
            : <strong>{label}</strong>
          </>
        )}
      </span>
      <Button look="quiet" icon="x" onClick={onClear}>
        Show all answers
      </Button>
    </p>
  )
}

function NoResponses({ isNarrowed, onWiden }: { isNarrowed: boolean; onWiden: () => void }) {
  if (isNarrowed)
    return (
      <Empty icon="filter" title="No response fits these filters" actions={<Button onClick={onWiden}>Show all responses</Button>}>
        Use other words, or fewer filters.
      </Empty>
    )
  return (
    <Empty icon="inbox" title="No response yet">
      Share the link of the survey. Each response appears here with all of its answers.
    </Empty>
  )
}
