import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, onThisOrigin } from '../api.ts'
import { deleteOwn, isOwnDeletion } from '../own-deletions.ts'
import { useHasRole, useProject, useProjectRef, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Note } from '../ui/error-note.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { plainName } from '../ui/names.ts'
import { toast, toastFailure } from '../ui/toasts.tsx'
import { Captions } from './captions.tsx'
import { refreshOnce, VideoTag } from './card.tsx'
import { EXPLAINED, refreshVideos, sizeText, type Video } from './videos.ts'

interface OpenProps {
  id: string
  /** From the list, if it has it. */
  known: Video | undefined
  onClose: () => void
}

/** A video with its player, its captions and what can be done about it. */
export function OpenVideo({ id, known, onClose }: OpenProps) {
  const ref = useProjectRef()
  const query = useQuery({
    queryKey: ['video', id],
    queryFn: () => api.videos.retrieve({ ...ref, video_id: id }),
    enabled: known === undefined && !isOwnDeletion(id),
  })
  const video = known ?? query.data
  return (
    <Dialog title={plainName(video?.draft.author.name ?? video?.file_name ?? 'Video')} size="wide" onClose={onClose}>
      <div className="stack video-open">
        <Loaded query={{ data: video, error: query.error, refetch: query.refetch }}>
          {(loaded) => <Details video={loaded} onDeleted={onClose} />}
        </Loaded>
      </div>
    </Dialog>
  )
}

function Details({ video, onDeleted }: { video: Video; onDeleted: () => void }) {
  const canWrite = useHasRole('member')
  const { state, error, file_name, size_bytes, draft } = video
  const look = EXPLAINED[state].look === 'bad' || error !== null ? 'warn' : 'info'
  return (
    <>
      <Player video={video} />
      <div className="row">
        <VideoTag video={video} />
        <span className="soft">
          <bdi>{file_name}</bdi>
          {size_bytes !== null && ` · ${sizeText(size_bytes)}`}
        </span>
      </div>
      {draft.body !== '' && (
        <p className="video-words" dir="auto">
          {draft.body}
        </p>
      )}
      <Note look={look}>
        {EXPLAINED[state].means}
        {error !== null && <p dir="auto">{error.detail}</p>}
      </Note>
      <Actions video={video} canWrite={canWrite} onDeleted={onDeleted} />
      {(state === 'ready' || video.captions.length > 0) && <Captions video={video} canWrite={canWrite} />}
    </>
  )
}

function Player({ video: { id, project_id, playback_url, poster_url, captions, width, height } }: { video: Video }) {
  if (playback_url === null) return null
  return (
    // biome-ignore lint/a11y/useMediaCaption: the team adds captions below
    <video
      className="video-player"
      aria-label="Video"
      controls
      playsInline
      preload="none"
      crossOrigin="anonymous"
      width={width ?? undefined}
      height={height ?? undefined}
      poster={poster_url === null ? undefined : onThisOrigin(poster_url)}
      src={onThisOrigin(playback_url)}
      onError={() => void refreshOnce(project_id, playback_url, id)}
    >
      {captions.map(
        ({ id: caption, language, label, url }) =>
          url !== null && <track key={caption} kind="captions" srcLang={language} label={label} src={onThisOrigin(url)} />,
      )}
    </video>
  )
}

interface ActionsProps {
  video: Video
  canWrite: boolean
  onDeleted: () => void
}

function Actions({ video, canWrite, onDeleted }: ActionsProps) {
  const { team_id, project_id, id, state, draft } = video
  const ref = { team_id, project_id, video_id: id }
  const { slug: team } = useTeam()
  const { slug: project } = useProject()
  const [isDeleting, setIsDeleting] = useState(false)
  const retry = useAction(() => api.videos.retry(ref), 'It is being prepared again.', video)
  const submit = useAction(() => api.videos.draft.submit(ref), 'Sent to the inbox.', video)
  const remove = async () => {
    await deleteOwn(id, () => api.videos.delete(ref))
    onDeleted()
    toast({ look: 'good', text: 'Deleted.' })
    await refreshVideos(project_id)
  }
  return (
    <div className="row">
      {draft.submission_id !== null && (
        <Link className="btn plain" to="/$team/$project/inbox" params={{ team, project }} search={{ item: draft.submission_id }}>
          Open in the inbox
        </Link>
      )}
      {canWrite && draft.submission_id === null && draft.author.name !== null && state !== 'expired' && (
        <Button isBusy={submit.isPending} onClick={() => submit.mutate()}>
          Send to the inbox
        </Button>
      )}
      {canWrite && state === 'failed' && (
        <Button icon="refresh" isBusy={retry.isPending} onClick={() => retry.mutate()}>
          Try again
        </Button>
      )}
      {canWrite && (
        <Button icon="trash" onClick={() => setIsDeleting(true)}>
          Delete
        </Button>
      )}
      {isDeleting && (
        <Confirm title="Delete this video?" action="Delete the video" onConfirm={remove} onClose={() => setIsDeleting(false)}>
          <p>The video, its still image and its captions are deleted. The submission stays, without the video. This cannot be undone.</p>
        </Confirm>
      )}
    </div>
  )
}

function useAction(act: () => Promise<unknown>, done: string, { project_id, id }: Video) {
  return useMutation({
    mutationFn: act,
    onSuccess: async () => {
      toast({ look: 'good', text: done })
      await refreshVideos(project_id, id)
    },
    onError: toastFailure,
  })
}
