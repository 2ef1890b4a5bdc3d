import { type CaptionedVideo, presentVideo } from '@earshot/db'
import type { InTeam } from '../auth/callers.ts'
import { mediaLinks } from '../media/links.ts'

/** Presents a video to a caller, with links that are good as long as the caller may see it. */
export function presentVideoTo(ctx: Pick<InTeam, 'services' | 'credential'>, row: CaptionedVideo) {
  return presentVideo(row, linksOf(ctx, row))
}

/** Signs links to the files of a video for a caller. */
export function linksOf(
  { services, credential }: Pick<InTeam, 'services' | 'credential'>,
  { id: video_id, team_id, project_id, attempt }: CaptionedVideo,
) {
  return mediaLinks(services, { team_id, project_id, video_id, attempt }, { credentialId: credential.id })
}
