import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTeam } from '../../shell/places.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { defined, type ResultsSearch } from '../address.ts'
import { resultsQuery, type Survey, useSurveyRef } from '../queries.ts'
import { SurveyPage, WithSurvey } from '../survey-page.tsx'
import { ResultsFilters } from './filters.tsx'
import { QuestionResult } from './question-result.tsx'
import { resultsInput } from './range.ts'
import './results.css'

const route = getRouteApi('/$team/$project/surveys/$survey/results')

/** What the responses say, question by question. */
export function SurveyResults() {
  return <WithSurvey>{(survey) => <ResultsOf survey={survey} />}</WithSurvey>
}

function ResultsOf({ survey }: { survey: Survey }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const input = resultsInput(search, useTeam().settings.timezone)
  const results = useQuery({ ...resultsQuery(useSurveyRef(), input), placeholderData: keepPreviousData })
  const isNarrowed = Object.keys(search).length > 0
  const change = (changed: { [Name in keyof ResultsSearch]?: ResultsSearch[Name] | undefined }) =>
    void navigate({ search: (before) => defined({ ...before, ...changed }), resetScroll: false })
  return (
    <SurveyPage
      survey={survey}
      actions={
        <Button icon="refresh" isBusy={results.isFetching} onClick={() => void results.refetch()}>
          Refresh
        </Button>
      }
    >
      <ResultsFilters survey={survey} search={search} onChange={change} />
      <Loaded query={results} skeleton={<Skeleton rows={4} height="12rem" />}>
        {({ responses, questions }) => (
          <div className="results" aria-busy={results.isPlaceholderData || undefined}>
            <p role="status" className="results-count">
              <strong>{responses.toLocaleString('en')}</strong> {responses === 1 ? 'response' : 'responses'}
            </p>
            {responses === 0 ? (
              <NoResults survey={survey} isNarrowed={isNarrowed} onWiden={() => void navigate({ search: {} })} />
            ) : (
              questions.map((question) => (
                <QuestionResult key={question.question_id} survey={survey} question={question} responses={responses} input={input} />
              ))
            )}
          </div>
        )}
      </Loaded>
    </SurveyPage>
  )
}

function NoResults({ survey, isNarrowed, onWiden }: { survey: Survey; isNarrowed: boolean; onWiden: () => void }) {
  if (isNarrowed)
    return (
      <Empty icon="filter" title="No response fits these filters" actions={<Button onClick={onWiden}>Show all responses</Button>}>
        Choose a longer time, or another language or version.
      </Empty>
    )
  if (survey.status === 'draft')
    return (
      <Empty icon="survey" title="Not published yet" actions={<EditLink />}>
        Results appear here after you publish the survey and people answer it.
      </Empty>
    )
  return (
    <Empty icon="chart" title="No response yet">
      Press Share to copy the link or its QR code, and send it to the people whom you want to ask.
    </Empty>
  )
}

function EditLink() {
  const params = route.useParams()
  return (
    <Link className="btn" to="/$team/$project/surveys/$survey/edit" params={params}>
      Edit the survey
    </Link>
  )
}
