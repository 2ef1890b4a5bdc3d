import { Link } from '@tanstack/react-router'
import { onThisOrigin } from '../api.ts'
import { Icon } from '../ui/icon.tsx'
import { plainName } from '../ui/names.ts'
import { progressText } from '../ui/numbers.ts'
import { Ago } from '../ui/time.tsx'
import { durationText, EXPLAINED, refreshVideos, type Video } from './videos.ts'

/** One video: its still image, how long it is, who speaks, and its state. */
export function VideoCard({ video }: { video: Video }) {
  const { id, project_id, poster_url, duration_ms, draft, file_name, created_at } = video
  return (
    <li className="video-card">
      <div className="video-still">
        {poster_url === null ? (
          <Icon name="video" />
        ) : (
          <img src={onThisOrigin(poster_url)} alt="" loading="lazy" onError={() => void refreshOnce(project_id, poster_url)} />
        )}
        {duration_ms !== null && <span>{durationText(duration_ms)}</span>}
      </div>
      <div className="video-text">
        <h2>
          <Link from="/$team/$project/videos" search={(before) => ({ ...before, item: id })} activeOptions={{ exact: true }}>
            <bdi>{plainName(draft.author.name ?? file_name)}</bdi>
          </Link>
        </h2>
        <p className="row">
          <VideoTag video={video} />
          <span className="soft">
            <Ago at={created_at} />
          </span>
        </p>
        {draft.submission_id === null && <p className="soft">Not submitted: nobody has sent it to the inbox yet.</p>}
      </div>
    </li>
  )
}

/** The state in a word, with the share that is done. */
export function VideoTag({ video: { state, progress, offset_bytes, size_bytes } }: { video: Video }) {
  const { name, look } = EXPLAINED[state]
  const sent = state === 'uploading' && size_bytes !== null ? offset_bytes / size_bytes : null
  const done = progress ?? sent
  return (
    <span className={`tag ${look}`}>
      {name}
      {done !== null && ` ${progressText(done)}`}
    </span>
  )
}

const asked = new Set<string>()

/** A signed address that no longer works is asked for anew, once: a second failure has another reason. */
export async function refreshOnce(project_id: string, address: string, video_id?: string): Promise<void> {
  if (asked.has(address)) return
  asked.add(address)
  await refreshVideos(project_id, video_id)
}
