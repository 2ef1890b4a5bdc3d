import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { useDraft } from '../ui/draft.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextArea, TextField } from '../ui/field.tsx'
import { refreshVideos, type Video } from './videos.ts'

const MAX_BYTES = 1_000_000

/** The captions of a video, for people who cannot hear it. */
export function Captions({ video, canWrite }: { video: Video; canWrite: boolean }) {
  const [isAdding, setIsAdding] = useState(false)
  const [deleted, setDeleted] = useState<Video['captions'][number] | null>(null)
  const { team_id, project_id, id, captions } = video
  const remove = async (caption_id: string) => {
    await api.videos.captions.delete({ team_id, project_id, video_id: id, caption_id })
    await refreshVideos(project_id, id)
  }
  return (
    <section className="captions">
      <h3>Captions</h3>
      {captions.length === 0 && <p className="soft">None yet. Captions help people who cannot hear the video or have the sound off.</p>}
      <ul>
        {captions.map((caption) => (
          <li key={caption.id}>
            <bdi>{caption.label}</bdi> <span className="soft">{caption.language}</span>
            {canWrite && <IconButton icon="trash" label={`Delete the captions ${caption.label}`} onClick={() => setDeleted(caption)} />}
          </li>
        ))}
      </ul>
      {canWrite && !isAdding && (
        <Button icon="plus" onClick={() => setIsAdding(true)}>
          Add captions
        </Button>
      )}
      {isAdding && <CaptionForm video={video} onClose={() => setIsAdding(false)} />}
      {deleted && (
        <Confirm
          title={`Delete the captions ${deleted.label}?`}
          action="Delete"
          onConfirm={() => remove(deleted.id)}
          onClose={() => setDeleted(null)}
        >
          <p>Players no longer offer them. This cannot be undone.</p>
        </Confirm>
      )}
    </section>
  )
}

function CaptionForm({ video: { team_id, project_id, id }, onClose }: { video: Video; onClose: () => void }) {
  const [{ language, vtt }, change, forget] = useDraft(`captions.${id}`, { language: 'en', vtt: '' })
  const [tooLarge, setTooLarge] = useState<string>()
  const add = useMutation({
    mutationFn: () => api.videos.captions.create({ team_id, project_id, video_id: id, language: language.trim(), vtt }),
    onSuccess: async () => {
      forget()
      onClose()
      await refreshVideos(project_id, id)
    },
  })
  const errors = fieldErrors(add.error)
  const read = async (file: File | undefined) => {
    if (!file) return
    const isTooLarge = file.size > MAX_BYTES
    setTooLarge(isTooLarge ? 'The file is larger than 1 MB.' : undefined)
    if (!isTooLarge) change({ vtt: await file.text() })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!add.isPending) add.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label="Language"
        hint="Its tag, such as en, de or pt-BR."
        value={language}
        required
        onChange={({ target }) => change({ language: target.value })}
        error={errors.get('language')}
      />
      <TextField label="File" type="file" accept=".vtt,text/vtt" onChange={({ target }) => void read(target.files?.[0])} error={tooLarge} />
      <TextArea
        label="Captions"
        hint="WebVTT, from a file or typed here."
        placeholder={'WEBVTT\n\n00:00.000 --> 00:02.000\nSaved us a week.'}
        rows={6}
        value={vtt}
        required
        onChange={({ target }) => change({ vtt: target.value })}
        error={errors.get('vtt')}
      />
      {add.error && errors.size === 0 && <ErrorNote error={add.error} />}
      <div className="row">
        <Button look="primary" type="submit" isBusy={add.isPending}>
          Add the captions
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  )
}
