import { z } from 'zod'
import { CreatedAt, Id, UpdatedAt } from './primitives.ts'

const VideoState = z
  .enum(['reserved', 'uploading', 'uploaded', 'transcoding', 'ready', 'failed', 'expired'])
  .meta({ id: 'VideoState', description: 'How far it has come. ready: it can be watched, and is not public by that.' })

export const Video = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns it.' }),
    project_id: Id.meta({ description: 'The project that it belongs to.' }),
    state: VideoState,
    file_name: z.string().meta({ description: 'Name of the file as it was uploaded.' }),
    content_type: z.string().meta({ description: 'Media type of the file as it was uploaded.', example: 'video/webm' }),
    size_bytes: z.int().meta({ description: 'Size of the file as it was announced.' }),
    offset_bytes: z.int().meta({ description: 'How much of it has arrived.' }),
    duration_ms: z.int().nullable().meta({ description: 'Length.' }),
    width: z.int().nullable().meta({ description: 'Width in pixels.' }),
    height: z.int().nullable().meta({ description: 'Height in pixels.' }),
    playback_url: z.string().nullable().meta({ description: 'Where it can be watched, for an hour.' }),
    poster_url: z.string().nullable().meta({ description: 'A picture of it, for an hour.' }),
    error: z
      .object({
        code: z.string().meta({ description: 'What went wrong.' }),
        detail: z.string().meta({ description: 'For people.' }),
      })
      .nullable()
      .meta({ description: 'Why it failed.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Video', description: 'A clip that somebody left, on its way to being watched.' })
