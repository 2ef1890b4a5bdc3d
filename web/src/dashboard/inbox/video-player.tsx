import { useQuery } from '@tanstack/react-query'
import { api, type Output, onThisOrigin } from '../api.ts'
import { useProjectRef } from '../shell/places.ts'
import { ErrorNote, Note } from '../ui/error-note.tsx'

type Video = Output<typeof api.videos.retrieve>

/** Its addresses are signed for an hour. */
const FRESH_MS = 50 * 60_000
const NOT_READY: Partial<Record<Video['state'], string>> = {
  reserved: 'The upload has not begun yet.',
  uploading: 'The video is being uploaded.',
  uploaded: 'The video waits to be prepared for browsers.',
  transcoding: 'The video is being prepared for browsers. It plays here in a moment.',
  failed: 'The video could not be prepared. Retry it on the page Videos.',
  expired: 'The upload was not finished in time, so there is no video.',
}
const POLL_MS = 5_000

/** The video of a submission, in its place. Nothing is loaded before somebody plays it. */
export function VideoPlayer({ video_id }: { video_id: string }) {
  const ref = useProjectRef()
  const query = useQuery({
    queryKey: ['video', video_id],
    queryFn: () => api.videos.retrieve({ ...ref, video_id }),
    staleTime: FRESH_MS,
    refetchInterval: ({ state }) => (isOnItsWay(state.data) ? POLL_MS : false),
  })
  const { data: video, error } = query
  if (error && !video) return <ErrorNote error={error} onRetry={() => void query.refetch()} />
  if (!video) return <div className="film" role="status" aria-label="Loading the video" />
  if (video.playback_url === null) return <Note look="warn">{NOT_READY[video.state] ?? 'There is no video to play.'}</Note>
  return (
    // biome-ignore lint/a11y/useMediaCaption: the team adds captions on the page Videos
    <video
      className="film"
      controls
      playsInline
      preload="none"
      poster={video.poster_url === null ? undefined : onThisOrigin(video.poster_url)}
      src={onThisOrigin(video.playback_url)}
      onError={() => void query.refetch()}
    >
      {video.captions.map(
        ({ id, language, label, url }) =>
          url && <track key={id} kind="captions" srcLang={language} label={label} src={onThisOrigin(url)} />,
      )}
    </video>
  )
}

function isOnItsWay(video: Video | undefined): boolean {
  return video !== undefined && ['uploaded', 'transcoding'].includes(video.state)
}
