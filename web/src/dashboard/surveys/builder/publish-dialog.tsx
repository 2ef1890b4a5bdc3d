import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote, Note } from '../../ui/error-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { toast } from '../../ui/toasts.tsx'
import { noteSurvey, useSurveyRef } from '../queries.ts'
import { ShareDialog } from '../share-dialog.tsx'
import { type Check, checksOf } from './checks.ts'
import type { DraftEditing } from './use-draft.ts'

const ICONS = { good: 'check', bad: 'x', warn: 'warn' } as const
const MEANINGS = { good: 'Done', bad: 'Missing', warn: 'Look at it' } as const

interface PublishDialogProps {
  editing: DraftEditing
  onClose: () => void
  onOpen: (key: string) => void
}

/** Checks a survey and publishes it, or says what is missing. Then it shows how to share it. */
export function PublishDialog({ editing, onClose, onOpen }: PublishDialogProps) {
  const { draft, survey } = editing
  const ref = useSurveyRef()
  const [isPublished, setIsPublished] = useState(false)
  const checks = checksOf(draft)
  const isReady = checks.every(({ look }) => look !== 'bad')
  const isDraft = survey.status === 'draft'
  const publish = useMutation({
    mutationFn: async () => {
      if (!(await editing.save())) return null
      return api.surveys.publish(ref)
    },
    onSuccess: (published) => {
      if (!published) return
      noteSurvey(published)
      toast({ look: 'good', text: isDraft ? 'The survey takes responses now.' : 'The survey takes responses again.' })
      setIsPublished(true)
    },
  })
  if (isPublished) return <ShareDialog survey={survey} onClose={onClose} />
  return (
    <Dialog title={isDraft ? 'Publish this survey' : 'Reopen this survey'} onClose={onClose}>
      <div className="stack">
        <ul className="checks">
          {checks.map((check) => (
            <CheckLine key={check.text} check={check} onOpen={onOpen} />
          ))}
        </ul>
        {publish.data === null && !publish.isPending && (
          <Note look="warn">Your latest changes could not be saved. Close this dialog and correct the marked fields.</Note>
        )}
        {publish.error && <ErrorNote error={publish.error} />}
        <p className="soft">
          {isDraft
            ? 'Everybody with the link can answer then. You can still change the survey: each saved change makes a new version, and responses keep theirs.'
            : 'Everybody with the link can answer again.'}
        </p>
      </div>
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" isBusy={publish.isPending} disabled={!isReady} onClick={() => publish.mutate()}>
          {isDraft ? 'Publish now' : 'Reopen now'}
        </Button>
      </footer>
    </Dialog>
  )
}

function CheckLine({ check: { look, text, question }, onOpen }: { check: Check; onOpen: (key: string) => void }) {
  return (
    <li className={look}>
      <Icon name={ICONS[look]} />
      <span>
        <span className="sr">{MEANINGS[look]}: </span>
        {text}{' '}
        {question && (
          <button type="button" className="text-btn" onClick={() => onOpen(question.key)}>
            Show
          </button>
        )}
      </span>
    </li>
  )
}
