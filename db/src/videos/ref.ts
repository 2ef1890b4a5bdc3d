import { sql } from 'drizzle-orm'
import type { ProjectRef } from '../projects.ts'
import type { Parameters } from '../sql/statement.ts'

export type VideoRef = ProjectRef & { video_id: string }

/** The condition that the row `v` is this video. */
export const isVideo = (p: Parameters<VideoRef>) =>
  sql`v.team_id = ${p.team_id} and v.project_id = ${p.project_id} and v.id = ${p.video_id}`
