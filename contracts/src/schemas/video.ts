import { z } from 'zod'
import { CreatedAt, Id, UpdatedAt } from './primitives.ts'

const VideoState = z
  .enum(['reserved', 'uploading', 'uploaded', 'transcoding', 'ready', 'failed', 'expired'])
  .meta({ id: 'VideoState', description: 'State of the video. A ready video can be watched, but is not public.' })

export const Video = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns the record.' }),
    project_id: Id.meta({ description: 'The project of the record.' }),
    state: VideoState,
    file_name: z.string().meta({ description: 'Name of the uploaded file.' }),
    content_type: z.string().meta({ description: 'Media type of the uploaded file.', example: 'video/webm' }),
    size_bytes: z.int().meta({ description: 'Announced size of the file.' }),
    offset_bytes: z.int().meta({ description: 'Number of bytes received.' }),
    duration_ms: z.int().nullable().meta({ description: 'Duration.' }),
    width: z.int().nullable().meta({ description: 'Width in pixels.' }),
    height: z.int().nullable().meta({ description: 'Height in pixels.' }),
    playback_url: z.string().nullable().meta({ description: 'Signed address of the video, valid for an hour.' }),
    poster_url: z.string().nullable().meta({ description: 'Signed address of a still image, valid for an hour.' }),
    error: z
      .object({
        code: z.string().meta({ description: 'Code of the error.' }),
        detail: z.string().meta({ description: 'Explanation for people.' }),
      })
      .nullable()
      .meta({ description: 'The error, if processing failed.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Video', description: 'A video of a visitor.' })
