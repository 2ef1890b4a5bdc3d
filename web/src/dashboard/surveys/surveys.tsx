import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, queries } from '../api.ts'
import { useHasRole, useProject, useProjectRef, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { More } from '../ui/more.tsx'
import { plainName } from '../ui/names.ts'
import { Page } from '../ui/page.tsx'
import { ListSkeleton } from '../ui/skeleton.tsx'
import { Ago } from '../ui/time.tsx'
import { toast, toastFailure } from '../ui/toasts.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { noteSurvey, type Survey, type SurveySummary, summariesQuery, surveysKey } from './queries.ts'
import { ShareDialog } from './share-dialog.tsx'
import { StatusTag } from './status.tsx'
import './surveys.css'

const SCORES = { nps: 'NPS', rating: 'Stars', csat: 'CSAT', ces: 'CES' } as const
const route = getRouteApi('/$team/$project/surveys')

/** The surveys of a project, newest first. */
export function Surveys() {
  const ref = useProjectRef()
  const isMember = useHasRole('member')
  const { create } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useInfiniteQuery({
    queryKey: surveysKey(ref.project_id),
    queryFn: ({ pageParam: cursor }) => api.surveys.list({ ...ref, ...(cursor !== null && { cursor }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const summaries = useSummaries(list.data?.pages.reduce((sum, { results }) => sum + results.length, 0) ?? 0)
  const createButton = isMember && (
    <Button look="primary" icon="plus" onClick={() => void navigate({ search: { create: true } })}>
      New survey
    </Button>
  )
  return (
    <Page title="Surveys" lead="Ask your customers, and see what they answer." actions={createButton} width="wide">
      <Loaded query={list} skeleton={<ListSkeleton rows={3} height="4.375rem" />}>
        {({ pages }) => {
          const surveys = pages.flatMap(({ results }) => results)
          if (surveys.length === 0)
            return (
              <Empty icon="survey" title="No survey yet" actions={createButton}>
                {isMember
                  ? 'Begin with a template, such as the Net Promoter Score, and share its link.'
                  : 'Members of the team create surveys. They appear here.'}
              </Empty>
            )
          return (
            <>
              <ul className="survey-list">
                {surveys.map((survey) => (
                  <SurveyRow key={survey.id} survey={survey} summary={summaries.isError ? null : summaries.of.get(survey.id)} />
                ))}
              </ul>
              <More query={list} />
            </>
          )
        }}
      </Loaded>
      {create && isMember && <CreateDialog onClose={() => void navigate({ search: {}, replace: true })} />}
    </Page>
  )
}

/** The figures by the ids of surveys, as far as the list goes. */
function useSummaries(listed: number) {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = useInfiniteQuery({
    ...summariesQuery(useProjectRef()),
    enabled: listed > 0,
  })
  const known = data?.pages.flatMap(({ results }) => results) ?? []
  const isBehind = hasNextPage && known.length < listed && !isFetching && !isError
  useEffect(() => {
    if (isBehind) void fetchNextPage()
  }, [isBehind, fetchNextPage])
  return { isError: isError && known.length === 0, of: new Map(known.map((summary) => [summary.survey_id, summary])) }
}

function SurveyRow({ survey, summary }: { survey: Survey; summary: SurveySummary | null | undefined }) {
  const params = { team: useTeam().slug, project: useProject().slug, survey: survey.id }
  const isDraft = survey.status === 'draft'
  const questions = survey.questions.filter(({ type }) => type !== 'statement').length
  return (
    <li>
      <div>
        <Link to={isDraft ? '/$team/$project/surveys/$survey/edit' : '/$team/$project/surveys/$survey/results'} params={params} dir="auto">
          {plainName(survey.name)}
        </Link>
        <p className="soft">
          <StatusTag status={survey.status} /> {questions === 1 ? '1 question' : `${questions} questions`} · changed{' '}
          <Ago at={survey.updated_at} />
        </p>
      </div>
      {isDraft ? <p className="soft survey-figures">Not published</p> : <Figures survey={survey} summary={summary} />}
      <SurveyMenu survey={survey} />
    </li>
  )
}

/** How many answered, and the main score. */
function Figures({ survey, summary }: { survey: Survey; summary: SurveySummary | null | undefined }) {
  if (!summary) return <p className="soft survey-figures">{summary === null ? 'No figures now' : '…'}</p>
  const { responses, score } = summary
  return (
    <dl className="survey-figures">
      {score && (
        <div>
          <dt>{SCORES[score.type]}</dt>
          <dd>{score.value.toLocaleString('en', { signDisplay: score.type === 'nps' ? 'exceptZero' : 'auto' })}</dd>
        </div>
      )}
      <div>
        <dt>{responses === 1 ? 'Response' : 'Responses'}</dt>
        <dd>
          {responses.toLocaleString('en')}
          {survey.response_limit !== null && <small> of {survey.response_limit.toLocaleString('en')}</small>}
        </dd>
      </div>
    </dl>
  )
}

function SurveyMenu({ survey }: { survey: Survey }) {
  const ref = useProjectRef()
  const params = { team: useTeam().slug, project: useProject().slug, survey: survey.id }
  const isMember = useHasRole('member')
  const navigate = useNavigate()
  const [shown, setShown] = useState<'share' | 'delete' | null>(null)
  const duplicate = async () => {
    try {
      const copy = await api.surveys.create(copyOf(survey, ref))
      noteSurvey(copy)
      toast({ look: 'good', text: `“${copy.name}” is a draft.` })
      await navigate({ to: '/$team/$project/surveys/$survey/edit', params: { ...params, survey: copy.id } })
    } catch (error) {
      toastFailure(error)
    }
  }
  const remove = async () => {
    await api.surveys.delete({ ...ref, survey_id: survey.id })
    await queries.invalidateQueries({ queryKey: surveysKey(ref.project_id) })
    toast({ look: 'good', text: `“${survey.name}” is deleted.` })
  }
  return (
    <>
      <Menu trigger={<Icon name="dots" />} label={`Actions for ${survey.name}`} className="icon-btn">
        <MenuItem icon="edit" onSelect={() => void navigate({ to: '/$team/$project/surveys/$survey/edit', params })}>
          {isMember ? 'Edit' : 'Show questions'}
        </MenuItem>
        {survey.status !== 'draft' && (
          <MenuItem icon="link" onSelect={() => setShown('share')}>
            Share
          </MenuItem>
        )}
        {isMember && (
          <>
            <MenuItem icon="copy" onSelect={() => void duplicate()}>
              Duplicate
            </MenuItem>
            <MenuItem icon="trash" onSelect={() => setShown('delete')}>
              Delete…
            </MenuItem>
          </>
        )}
      </Menu>
      {shown === 'share' && <ShareDialog survey={survey} onClose={() => setShown(null)} />}
      {shown === 'delete' && (
        <Confirm title={`Delete “${survey.name}”?`} action="Delete survey" onConfirm={remove} onClose={() => setShown(null)}>
          <p>The survey and all of its responses disappear at once, and its link stops working. You cannot undo this.</p>
          <p className="soft">To keep the responses, close the survey instead, or export them first.</p>
        </Confirm>
      )}
    </>
  )
}

const MAX_NAME = 200
const COPY = ' (copy)'

/** The questions and settings of a survey, for a new one without its ids. */
function copyOf(survey: Survey, ref: { team_id: string; project_id: string }) {
  const { name, language, translations, thank_you_text, response_limit, one_per_respondent } = survey
  const questions = survey.questions.map(({ id: _id, ...question }) => question)
  const copied = `${name.slice(0, MAX_NAME - COPY.length)}${COPY}`
  return { ...ref, name: copied, questions, language, translations, thank_you_text, response_limit, one_per_respondent }
}
