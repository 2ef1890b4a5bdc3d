import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useHasRole } from '../../shell/places.ts'
import { ErrorNote, Note } from '../../ui/error-note.tsx'
import { type BuilderSearch, defined } from '../address.ts'
import type { Survey } from '../queries.ts'
import { SurveyPage, WithSurvey } from '../survey-page.tsx'
import { draftOf } from './draft.ts'
import { Preview } from './preview.tsx'
import { QuestionList } from './question-list.tsx'
import { QuestionSummary } from './question-summary.tsx'
import { Settings } from './settings.tsx'
import { SaveState, StatusActions } from './status-actions.tsx'
import { TranslationsTab } from './translations-tab.tsx'
import { type DraftEditing, useDraft } from './use-draft.ts'
import './builder.css'
import './preview.css'

type Changed = { [Name in keyof BuilderSearch]?: BuilderSearch[Name] | undefined }

const route = getRouteApi('/$team/$project/surveys/$survey/edit')

/** Where a survey is written, beside what respondents will see. */
export function Builder() {
  const isMember = useHasRole('member')
  return <WithSurvey>{(survey) => (isMember ? <Editor key={survey.id} survey={survey} /> : <Reader survey={survey} />)}</WithSurvey>
}

function Editor({ survey }: { survey: Survey }) {
  const editing = useDraft(survey)
  const { tab = 'questions', question: openKey, language } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (change: Changed) =>
    void navigate({ search: (before) => defined({ ...before, ...change }), replace: true, resetScroll: false })
  const open = (key: string | undefined) => show(key === undefined ? { question: undefined } : { tab: undefined, question: key })
  return (
    <SurveyPage
      survey={editing.survey}
      name={editing.draft.name}
      note={<SaveState editing={editing} />}
      actions={<StatusActions editing={editing} onOpen={open} />}
    >
      <Notices editing={editing} />
      <Beside
        preview={
          <Preview
            draft={editing.draft}
            openKey={openKey}
            language={language}
            onLanguage={(tag) => show({ language: tag })}
            onOpen={open}
          />
        }
      >
        {tab === 'questions' && <QuestionList editing={editing} openKey={openKey} onOpen={open} />}
        {tab === 'translations' && <TranslationsTab editing={editing} language={language} onLanguage={(tag) => show({ language: tag })} />}
        {tab === 'settings' && <Settings editing={editing} />}
      </Beside>
    </SurveyPage>
  )
}

/** For viewers: what is asked, without fields. */
function Reader({ survey }: { survey: Survey }) {
  const draft = draftOf(survey)
  const { question: openKey, language } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (change: Changed) =>
    void navigate({ search: (before) => defined({ ...before, ...change }), replace: true, resetScroll: false })
  return (
    <SurveyPage survey={survey}>
      <Note>You can see this survey. Members of the team can change it.</Note>
      <Beside
        preview={
          <Preview
            draft={draft}
            openKey={openKey}
            language={language}
            onLanguage={(tag) => show({ language: tag })}
            onOpen={(key) => show({ question: key })}
          />
        }
      >
        <ol className="questions">
          {draft.questions.map((question, index) => (
            <li key={question.key} className="question">
              <button type="button" className="question-open" onClick={() => show({ question: question.key })}>
                <QuestionSummary question={question} number={index + 1} all={draft.questions} />
              </button>
            </li>
          ))}
        </ol>
      </Beside>
    </SurveyPage>
  )
}

/** The editor and the preview: side by side, or one of them on narrow windows. */
function Beside({ preview, children }: { preview: ReactNode; children: ReactNode }) {
  const [isPreview, setIsPreview] = useState(false)
  return (
    <div className="builder" data-preview={isPreview || undefined}>
      <div className="builder-switch">
        <button type="button" aria-pressed={!isPreview} onClick={() => setIsPreview(false)}>
          Edit
        </button>
        <button type="button" aria-pressed={isPreview} onClick={() => setIsPreview(true)}>
          Preview
        </button>
      </div>
      <div className="builder-main">{children}</div>
      <div className="builder-preview">{preview}</div>
    </div>
  )
}

/** What the author must know before writing on. */
function Notices({ editing }: { editing: DraftEditing }) {
  const { state, error, theirs, survey, isRestored } = editing
  return (
    <div className="builder-notices">
      {theirs && <Conflict editing={editing} />}
      {isRestored && !theirs && state !== 'saved' && (
        <Note>
          Your changes of an earlier visit are here again. {survey.status === 'draft' ? 'They are saved now.' : 'They are not saved yet.'}
        </Note>
      )}
      {error !== null && <ErrorNote error={error} onRetry={() => void editing.save()} />}
      {survey.status !== 'draft' && !theirs && state !== 'saved' && (
        <Note look="warn">
          <p>
            <strong>Respondents do not see your changes yet.</strong> Save them to make version {survey.version + 1}, which everybody who
            opens the survey from then on gets. Responses keep the version that they answered, and questions keep their results.
          </p>
        </Note>
      )}
    </div>
  )
}

function Conflict({ editing }: { editing: DraftEditing }) {
  return (
    <div className="note warn" role="alert">
      <div>
        <p>
          <strong>Someone else edited this survey while you were editing it.</strong> Nothing is lost: your changes are kept in this
          browser. Choose which ones stay.
        </p>
        <div className="row">
          <button type="button" className="btn" onClick={() => editing.resolve('mine')}>
            Keep mine
          </button>
          <button type="button" className="btn" onClick={() => editing.resolve('theirs')}>
            Take theirs
          </button>
        </div>
      </div>
    </div>
  )
}
