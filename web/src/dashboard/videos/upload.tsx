import { type DragEvent, type FormEvent, useState } from 'react'
import { useProject } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useDraft } from '../ui/draft.ts'
import { ErrorNote, Note } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { CheckField, TextArea, TextField } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { isSameFile, type KeptUpload, useKeptUpload } from './kept-upload.ts'
import { EMPTY, type UploadFields, useUpload } from './use-upload.ts'
import { sizeText } from './videos.ts'

/** Uploads a video that a customer sent to the team, with who speaks and whether it may be published. */
export function UploadDialog({ onClose }: { onClose: () => void }) {
  const project = useProject()
  const [fields, change, forget] = useDraft(`video.${project.id}`, EMPTY)
  const [file, setFile] = useState<File | null>(null)
  const kept = useKeptUpload(project.id)
  const upload = useUpload(() => {
    forget()
    onClose()
  })
  const errors = fieldErrors(upload.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (file && !upload.isSending) upload.send(file, fields)
  }
  const close = () => {
    upload.stop()
    onClose()
  }
  return (
    <Dialog title="Upload a video" size="wide" onClose={close} isFixed={upload.isSending}>
      <form className="stack" onSubmit={submit}>
        <FilePlace file={file} kept={kept} onFile={setFile} isDisabled={upload.isSending} />
        <DraftFields fields={fields} change={change} errors={errors} />
        {upload.progress && <Progress progress={upload.progress} isWaiting={upload.isWaiting} />}
        {upload.error !== null && <ErrorNote error={upload.error} />}
        <footer>
          <Button onClick={close}>{upload.isSending ? 'Stop the upload' : 'Cancel'}</Button>
          <Button look="primary" type="submit" isBusy={upload.isSending} aria-disabled={file === null}>
            Upload
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

interface FilePlaceProps {
  file: File | null
  /** An upload that was interrupted. */
  kept: KeptUpload | null
  onFile: (file: File) => void
  isDisabled: boolean
}

function FilePlace({ file, kept, onFile, isDisabled }: FilePlaceProps) {
  const [isOver, setIsOver] = useState(false)
  const [problem, setProblem] = useState<string>()
  const take = (taken: File | undefined) => {
    if (!taken || isDisabled) return
    const isVideo = taken.type.startsWith('video/') || taken.type === ''
    setProblem(isVideo ? undefined : `${taken.name} is not a video.`)
    if (isVideo) onFile(taken)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    take(event.dataTransfer.files[0])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is beside the field, which does the same
    <div
      className="drop"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Icon name="video" />
      {file && (
        <p>
          <bdi>{file.name}</bdi> · {sizeText(file.size)}
        </p>
      )}
      <TextField
        label="Video file"
        hint={kept && !isDisabled ? hintOf(kept, file) : 'Drop a file here, or choose one.'}
        type="file"
        accept="video/*"
        disabled={isDisabled}
        onChange={({ target }) => take(target.files?.[0])}
        error={problem}
      />
    </div>
  )
}

function hintOf(kept: KeptUpload, file: File | null): string {
  if (file === null) return `Choose ${kept.file.name} (${sizeText(kept.file.size)}) again: its upload goes on where it stopped.`
  return isSameFile(kept, file)
    ? 'The upload goes on where it stopped.'
    : `This is another file than ${kept.file.name}: it replaces the upload that was interrupted.`
}

interface DraftProps {
  fields: UploadFields
  change: (changed: Partial<UploadFields>) => void
  errors: ReadonlyMap<string, string>
}

function DraftFields({ fields, change, errors }: DraftProps) {
  const text = (name: 'name' | 'role' | 'company') => ({
    dir: 'auto' as const,
    value: fields[name],
    onChange: ({ target }: { target: HTMLInputElement }) => change({ [name]: target.value }),
  })
  return (
    <>
      <div className="field-pair">
        <TextField label="Who speaks" required {...text('name')} error={errors.get('draft.author.name')} />
        <TextField label="Job title" {...text('role')} error={errors.get('draft.author.title')} />
        <TextField label="Company" {...text('company')} error={errors.get('draft.author.company')} />
      </div>
      <TextArea
        label="Words beside the video"
        hint="Optional, such as a sentence of it."
        rows={2}
        value={fields.body}
        onChange={({ target }) => change({ body: target.value })}
        error={errors.get('draft.body')}
      />
      <CheckField
        label="The person agreed to publication"
        hint="Without consent it stays inside your team."
        checked={fields.granted}
        onChange={({ target }) => change({ granted: target.checked })}
        error={errors.get('draft.consent.granted')}
      />
    </>
  )
}

function Progress({
  progress: { sentBytes, totalBytes },
  isWaiting,
}: {
  progress: { sentBytes: number; totalBytes: number | null }
  isWaiting: boolean
}) {
  const total = totalBytes ?? sentBytes
  return (
    <div className="upload-progress">
      <progress aria-label="Upload" value={sentBytes} max={total || 1} />
      <p className="soft">
        {sizeText(sentBytes)} of {sizeText(total)}
      </p>
      {isWaiting && <Note look="warn">The connection was lost. The upload goes on by itself when it is back.</Note>}
    </div>
  )
}
