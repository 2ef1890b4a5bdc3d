import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { isRefusal } from '../api.ts'
import { Missing } from '../shell/layouts.tsx'
import { useProject, useTeam } from '../shell/places.ts'
import { BackLink } from '../ui/back-link.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Page } from '../ui/page.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { type Survey, surveyQuery, useSurveyRef } from './queries.ts'
import { ShareDialog } from './share-dialog.tsx'
import { StatusTag } from './status.tsx'
import './surveys.css'

interface SurveyPageProps {
  survey: Survey
  /** Beside the name, where it is edited. */
  name?: string
  /** What is said beside the status. */
  note?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** Loads the survey of the address, which every page of it needs first. */
export function WithSurvey({ children }: { children: (survey: Survey) => ReactNode }) {
  const query = useQuery(surveyQuery(useSurveyRef()))
  if (query.data) return children(query.data)
  if (isRefusal(query.error, 'not_found')) return <Missing what="survey" />
  return (
    <Page title="Survey" width="wide">
      {query.error ? <ErrorNote error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton rows={5} height="4rem" />}
    </Page>
  )
}

/** The frame of all pages of one survey: its name, its status and the way to the others. */
export function SurveyPage({ survey, name = survey.name, note, actions, children }: SurveyPageProps) {
  const team = useTeam()
  const project = useProject()
  const [isSharing, setIsSharing] = useState(false)
  const place = { team: team.slug, project: project.slug }
  return (
    <Page
      width="wide"
      title={name.trim() || 'Untitled survey'}
      back={
        <BackLink to="/$team/$project/surveys" params={place}>
          All surveys
        </BackLink>
      }
      lead={
        <span className="survey-lead">
          <StatusTag status={survey.status} />
          {survey.status !== 'draft' && <span>Version {survey.version}</span>}
          {note}
        </span>
      }
      actions={
        <>
          {survey.status !== 'draft' && (
            <Button icon="link" onClick={() => setIsSharing(true)}>
              Share
            </Button>
          )}
          {actions}
        </>
      }
    >
      <SurveyTabs survey={survey} />
      {children}
      {isSharing && <ShareDialog survey={survey} onClose={() => setIsSharing(false)} />}
    </Page>
  )
}

function SurveyTabs({ survey }: { survey: Survey }) {
  const params = { team: useTeam().slug, project: useProject().slug, survey: survey.id }
  const isQuestions = useLocation({
    select: ({ pathname, search }) => pathname.endsWith('/edit') && (search.tab === undefined || search.tab === 'questions'),
  })
  const tabs = useRef<HTMLElement>(null)
  // On a phone the last ones are beyond the edge.
  useEffect(() => {
    // Its promise is not the effect's end.
    void tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
  }, [])
  const isPublished = survey.status !== 'draft'
  return (
    <nav ref={tabs} className="survey-tabs" aria-label="Pages of this survey">
      {/* It stays the current page while a question is open, which the router does not know. */}
      <Link
        to="/$team/$project/surveys/$survey/edit"
        params={params}
        search={{}}
        activeOptions={{ exact: true, includeSearch: true }}
        aria-current={isQuestions ? 'page' : undefined}
      >
        Questions
      </Link>
      <Link
        to="/$team/$project/surveys/$survey/edit"
        params={params}
        search={{ tab: 'translations' }}
        activeOptions={{ includeSearch: true }}
      >
        Translations
      </Link>
      <Link to="/$team/$project/surveys/$survey/edit" params={params} search={{ tab: 'settings' }} activeOptions={{ includeSearch: true }}>
        Settings
      </Link>
      {isPublished && (
        <>
          <Link to="/$team/$project/surveys/$survey/results" params={params} activeOptions={{ includeSearch: false }}>
            Results
          </Link>
          <Link to="/$team/$project/surveys/$survey/responses" params={params} activeOptions={{ includeSearch: false }}>
            Responses
          </Link>
        </>
      )}
    </nav>
  )
}
