import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { toast } from '../../ui/toasts.tsx'
import { noteSurvey, useSurveyRef } from '../queries.ts'
import { PublishDialog } from './publish-dialog.tsx'
import type { DraftEditing } from './use-draft.ts'

interface StatusActionsProps {
  editing: DraftEditing
  /** Opens a question that needs work. */
  onOpen: (key: string) => void
}

/** Publish, save, close and reopen: what fits the status. */
export function StatusActions({ editing, onOpen }: StatusActionsProps) {
  const { survey, state } = editing
  const ref = useSurveyRef()
  const [shown, setShown] = useState<'publish' | 'close' | 'discard' | null>(null)
  const hide = () => setShown(null)
  const close = async () => {
    noteSurvey(await api.surveys.close(ref))
    toast({ look: 'good', text: 'The survey is closed.' })
  }
  const save = async () => {
    if (await editing.save()) toast({ look: 'good', text: 'Your changes are saved.' })
  }
  const isChanged = survey.status !== 'draft' && state !== 'saved' && state !== 'conflict'
  return (
    <>
      {isChanged && (
        <>
          <Button look="quiet" onClick={() => setShown('discard')}>
            Discard
          </Button>
          <Button look="primary" isBusy={state === 'saving'} onClick={() => void save()}>
            Save changes
          </Button>
        </>
      )}
      {survey.status === 'active' && <Button onClick={() => setShown('close')}>Close</Button>}
      {survey.status !== 'active' && (
        <Button look={isChanged ? 'plain' : 'primary'} onClick={() => setShown('publish')}>
          {survey.status === 'draft' ? 'Publish' : 'Reopen'}
        </Button>
      )}
      {shown === 'publish' && (
        <PublishDialog
          editing={editing}
          onClose={hide}
          onOpen={(key) => {
            hide()
            onOpen(key)
          }}
        />
      )}
      {shown === 'close' && (
        <Confirm title="Close this survey?" action="Close survey" look="primary" onConfirm={close} onClose={hide}>
          <p>It takes no more responses, and people who open its link are told so. The responses stay. You can reopen it later.</p>
        </Confirm>
      )}
      {shown === 'discard' && (
        <Confirm title="Discard your changes?" action="Discard changes" onConfirm={async () => editing.discard()} onClose={hide}>
          <p>The survey goes back to version {survey.version}, as it is published. You cannot undo this.</p>
        </Confirm>
      )}
    </>
  )
}

const TEXTS = {
  saved: 'Saved',
  changed: 'Saving soon…',
  saving: 'Saving…',
  invalid: 'Not saved: correct what is marked',
  failed: 'Not saved: no connection. Kept in this browser',
  conflict: 'Not saved: somebody else changed it',
} as const

/** Whether what is on the screen is saved. */
export function SaveState({ editing }: { editing: DraftEditing }) {
  const { state, survey } = editing
  const isBad = state === 'invalid' || state === 'failed' || state === 'conflict'
  const text = state === 'changed' && survey.status !== 'draft' ? 'Changes not saved' : TEXTS[state]
  return (
    <span role="status" className="save-state" data-bad={isBad || undefined}>
      {text}
    </span>
  )
}
