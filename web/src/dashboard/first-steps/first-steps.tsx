import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { api, queries } from '../api.ts'
import { keysQuery } from '../projects/keys-query.ts'
import { collectionPage } from '../projects/share.tsx'
import { countsQuery, useHasRole, useProject, useProjectRef, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toastFailure } from '../ui/toasts.tsx'
import { ALL_STEPS, countDone, hideSteps, type Steps, useAreStepsHidden, useSteps } from './steps.ts'
import './first-steps.css'

/** Leads a new project to its first approved feedback on a page. */
export function FirstSteps() {
  const project = useProject()
  const isAdmin = useHasRole('admin')
  const isHidden = useAreStepsHidden(project.id)
  const { steps, error, refetch } = useSteps(project, isAdmin)
  if (!isAdmin)
    return (
      <Page title="First steps">
        <Empty icon="lock" title="Nothing to do for you">
          An admin or an owner of the team sets up the project. Feedback appears in the inbox.
        </Empty>
      </Page>
    )
  const actions = !isHidden && <Button onClick={() => hideSteps(project.id, true)}>Hide from the sidebar</Button>
  return (
    <Page title="First steps" lead={'From a new project to the first words of a customer on your page.'} actions={actions}>
      {steps === undefined && (error ? <ErrorNote error={error} onRetry={refetch} /> : <Skeleton rows={5} height="5.5rem" />)}
      {steps && <Checklist steps={steps} />}
    </Page>
  )
}

function Checklist({ steps }: { steps: Steps }) {
  const { id } = useProject()
  const done = countDone(steps)
  const isDone = done === ALL_STEPS
  useEffect(() => {
    if (isDone) hideSteps(id, true)
  }, [id, isDone])
  return (
    <div className="stack">
      {isDone ? <Finished publicKey={steps.publicKey} /> : <Progress done={done} />}
      <ol className="steps">
        <LookStep isDone={steps.hasLook} />
        <KeyStep publicKey={steps.publicKey} />
        <SampleStep isDone={steps.hasSubmission} />
        <ApproveStep steps={steps} />
        <WidgetStep isDone={steps.hasWidget} />
      </ol>
    </div>
  )
}

function Progress({ done }: { done: number }) {
  return (
    <div className="steps-done">
      <p role="status">
        {done} of {ALL_STEPS} done
      </p>
      <div aria-hidden="true">
        <i style={{ inlineSize: `${(done / ALL_STEPS) * 100}%` }} />
      </div>
    </div>
  )
}

function Finished({ publicKey }: { publicKey: string | null }) {
  return (
    <div className="finished" role="status">
      <span className="stars" aria-hidden="true">
        <Icon name="star" />
        <Icon name="star" />
        <Icon name="star" />
      </span>
      <h2>You are ready for feedback</h2>
      <p>Everything is set up. Send the link to your collection page to your first customers, and check the inbox for their feedback.</p>
      {publicKey !== null && <CopyButton text={collectionPage(publicKey)} label="Copy the link" />}
    </div>
  )
}

interface StepProps {
  isDone: boolean
  title: string
  children: ReactNode
  actions: ReactNode
}

/** One step: what it is for, and what to press. What is done stays readable. */
function Step({ isDone, title, children, actions }: StepProps) {
  return (
    <li data-done={isDone || undefined}>
      <span className="tick">{isDone && <Icon name="check" />}</span>
      <div>
        <h2>
          {title}
          <span className="sr">{isDone ? ', done' : ', to do'}</span>
        </h2>
        <p>{children}</p>
      </div>
      <div className="actions">{actions}</div>
    </li>
  )
}

function LookStep({ isDone }: { isDone: boolean }) {
  const { team, project } = usePlace()
  return (
    <Step
      {...{ isDone, title: 'Give the project your look' }}
      actions={
        <Link className="btn" to="/$team/$project/settings" params={{ team, project }}>
          {isDone ? 'Change the look' : 'Choose the look'}
        </Link>
      }
    >
      A colour or a logo, so that visitors see that the page is yours.
    </Step>
  )
}

function KeyStep({ publicKey }: { publicKey: string | null }) {
  const ref = useProjectRef()
  const create = useMutation({
    mutationFn: () => api.publicKeys.create({ ...ref, label: 'Collection page' }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery(ref).queryKey }),
    onError: toastFailure,
  })
  return (
    <Step
      {...{ isDone: publicKey !== null, title: 'Open your collection page' }}
      actions={
        publicKey === null ? (
          <Button isBusy={create.isPending} onClick={() => create.mutate()}>
            Create the public key
          </Button>
        ) : (
          <>
            <CopyButton text={collectionPage(publicKey)} label="Copy the link" />
            <a className="btn" href={collectionPage(publicKey)} target="_blank" rel="noopener">
              Open the page <Icon name="external" />
            </a>
          </>
        )
      }
    >
      A public key gives the page its link. Customers leave their words there, without an account.
    </Step>
  )
}

function SampleStep({ isDone }: { isDone: boolean }) {
  const ref = useProjectRef()
  const project = useProject()
  const add = useMutation({
    mutationFn: () => api.submissions.create({ ...ref, ...SAMPLE }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: countsQuery(project).queryKey })
      await queries.invalidateQueries({ queryKey: ['submissions', project.id] })
    },
    onError: toastFailure,
  })
  return (
    <Step
      {...{ isDone, title: 'Add a sample' }}
      actions={
        !isDone && (
          <Button isBusy={add.isPending} onClick={() => add.mutate()}>
            Add a sample
          </Button>
        )
      }
    >
      One submission with made-up words, to try what comes next. Delete it whenever you like.
    </Step>
  )
}

function ApproveStep({ steps: { hasSubmission, hasApproved } }: { steps: Steps }) {
  const { team, project } = usePlace()
  return (
    <Step
      {...{ isDone: hasApproved, title: 'Approve it' }}
      actions={
        hasSubmission && (
          <Link className="btn" to="/$team/$project/inbox" params={{ team, project }}>
            Open the inbox
          </Link>
        )
      }
    >
      New feedback waits in the inbox. Only what you approve can appear on your pages.
    </Step>
  )
}

function WidgetStep({ isDone }: { isDone: boolean }) {
  const { team, project } = usePlace()
  return (
    <Step
      {...{ isDone, title: 'Put it on your page' }}
      actions={
        <Link className="btn" to="/$team/$project/widgets" params={{ team, project }}>
          {isDone ? 'See the widgets' : 'Make a widget'}
        </Link>
      }
    >
      A widget shows approved feedback on your website, with two lines of HTML.
    </Step>
  )
}

/** Words that nobody takes for a customer's. Consent is there, so that approving it makes it public. */
const SAMPLE = {
  title: 'A sample',
  body: 'This is a sample, not the words of a customer. Approve it to see how feedback gets onto your page, then delete it.',
  rating: 5,
  author: { name: 'Sample Person', title: 'Made up by Earshot' },
  consent: { granted: true, text: 'A sample that you may publish.' },
  tags: ['sample'],
} satisfies Partial<Parameters<typeof api.submissions.create>[0]>

function usePlace(): { team: string; project: string } {
  return { team: useTeam().slug, project: useProject().slug }
}
