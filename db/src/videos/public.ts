import { type SQL, sql } from 'drizzle-orm'
import { type CaptionRow, type VideoRow, video_captions, videos } from '../tables/videos.ts'

/** What a list of captions shows. */
export type CaptionSummary = Pick<CaptionRow, 'id' | 'language' | 'label'>

/** The captions of a video of this alias as JSON, by language. */
export function captionsOf(of: string): SQL {
  const alias = sql.raw(of)
  return sql`(
           select coalesce(json_agg(json_build_object('id', c.id, 'language', c.language, 'label', c.label) order by c.language), '[]')
             from ${video_captions} c
            where c.team_id = ${alias}.team_id and c.project_id = ${alias}.project_id and c.video_id = ${alias}.id
         )`
}

/** What is shown of the video of a public submission, and what its address takes. */
export type PublicVideoRow = { team_id: string; project_id: string; video_id: string } & Pick<VideoRow, 'attempt'> & {
    [Name in 'duration_ms' | 'width' | 'height']: NonNullable<VideoRow[Name]>
  } & { captions: CaptionSummary[] }

/** The video of a submission `s`, as JSON: a look-up for each row that has one. */
export const PUBLIC_VIDEO = sql`case when s.video_id is not null then (
           select json_build_object('team_id', v.team_id, 'project_id', v.project_id, 'video_id', v.id, 'attempt', v.attempt,
                                    'duration_ms', v.duration_ms, 'width', v.width, 'height', v.height, 'captions', ${captionsOf('v')})
             from ${videos} v
            where v.team_id = s.team_id and v.project_id = s.project_id and v.id = s.video_id and v.state = 'ready' and v.deleted_at is null
         ) end as video`
