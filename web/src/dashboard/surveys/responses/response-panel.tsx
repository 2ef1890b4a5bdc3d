import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, isRefusal, queries } from '../../api.ts'
import { useHasRole } from '../../shell/places.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ErrorNote, Note } from '../../ui/error-note.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { At } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { languageName } from '../languages.ts'
import { forgetResults, resultsQuery, type Survey, type SurveyResponse, useSurveyRef } from '../queries.ts'
import { AnswerValue } from './answer-value.tsx'
import { channelName } from './channels.ts'
import { respondentName } from './respondent.ts'

const MINUTE_MS = 60_000
const SECOND_MS = 1_000

interface ResponsePanelProps {
  id: string
  survey: Survey
  onClose: () => void
}

/** One response, beside the list: all answers, with the questions of the version that was answered. */
export function ResponsePanel({ id, survey, onClose }: ResponsePanelProps) {
  const ref = useSurveyRef()
  const query = useQuery({ queryKey: ['response', id], queryFn: () => api.responses.retrieve({ ...ref, response_id: id }) })
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.focus(), [])
  return (
    <aside
      ref={panel}
      className="response-panel"
      aria-label="Response"
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) onClose()
      }}
    >
      <IconButton icon="x" label="Close the response" onClick={onClose} />
      {query.data && <Opened response={query.data} survey={survey} onClose={onClose} />}
      {isRefusal(query.error, 'not_found') && <Note look="warn">This response was deleted.</Note>}
      {query.error && !isRefusal(query.error, 'not_found') && <ErrorNote error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={5} height="3.5rem" />}
    </aside>
  )
}

function Opened({ response, survey, onClose }: { response: SurveyResponse; survey: Survey; onClose: () => void }) {
  const { survey_version, respondent, language, channel, created_at, duration_ms } = response
  const facts = [
    ['E-mail', respondent.email],
    ['Id in your system', respondent.external_id],
    ['Received', <At key="at" at={created_at} />],
    ['Took', duration_ms === null ? null : durationOf(duration_ms)],
    ['Channel', channelName(channel)],
    ['Language', language === null ? null : languageName(language)],
    ['Version', survey_version === survey.version ? String(survey_version) : `${survey_version} (now ${survey.version})`],
  ] as const
  return (
    <div className="stack">
      <h2 dir="auto">{respondentName(response)}</h2>
      <Answers response={response} />
      <dl className="facts">
        {facts.map(([label, value]) =>
          value === null || value === '' ? null : (
            <div key={label}>
              <dt>{label}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ),
        )}
      </dl>
      <Fields title="Hidden fields" fields={response.hidden} />
      <Fields title="Properties of the person" fields={respondent.properties} />
      <DeleteButton response={response} onDeleted={onClose} />
    </div>
  )
}

/** The texts of a version come with its results, which are asked for once. */
function Answers({ response: { answers, survey_version } }: { response: SurveyResponse }) {
  const ref = useSurveyRef()
  const results = useQuery({ ...resultsQuery(ref, { survey_version }), staleTime: Number.POSITIVE_INFINITY })
  if (results.isPending) return <Skeleton rows={answers.length} height="3rem" />
  if (answers.length === 0) return <p className="soft">No question was answered.</p>
  return (
    <dl className="answers">
      {answers.map((answer) => {
        const question = results.data?.questions.find(({ question_id }) => question_id === answer.question_id)
        return (
          <div key={answer.question_id}>
            <dt dir="auto">{question?.title ?? 'A question of an earlier version'}</dt>
            <dd>
              <AnswerValue answer={answer} question={question} />
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

function Fields({ title, fields }: { title: string; fields: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(fields)
  if (entries.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <dl className="facts">
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt dir="auto">{name}</dt>
            <dd dir="auto">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function DeleteButton({ response, onDeleted }: { response: SurveyResponse; onDeleted: () => void }) {
  const ref = useSurveyRef()
  const isMember = useHasRole('member')
  const [isAsking, setIsAsking] = useState(false)
  if (!isMember) return null
  const remove = async () => {
    await api.responses.delete({ ...ref, response_id: response.id })
    toast({ look: 'good', text: 'The response is deleted.' })
    await Promise.all([queries.invalidateQueries({ queryKey: ['responses', ref.survey_id] }), forgetResults(ref.survey_id)])
    onDeleted()
  }
  return (
    <>
      <div className="row">
        <Button icon="trash" onClick={() => setIsAsking(true)}>
          Delete response
        </Button>
      </div>
      {isAsking && (
        <Confirm title="Delete this response?" action="Delete response" onConfirm={remove} onClose={() => setIsAsking(false)}>
          <p>It disappears at once from the list and from the results. You cannot undo this.</p>
        </Confirm>
      )}
    </>
  )
}

function durationOf(ms: number): string {
  const seconds = Math.round(ms / SECOND_MS)
  return ms < MINUTE_MS ? `${seconds} s` : `${Math.floor(ms / MINUTE_MS)} min ${seconds % 60} s`
}
