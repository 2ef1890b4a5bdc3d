import { z } from 'zod'
import { grouped, sizes } from '../limits.ts'

/** Why an image of another site could not be copied, in words for the person who gave its address. */
export const imageFailures = {
  blocked_address: 'The address is private, local or reserved, or redirects to one that is.',
  unreachable: 'The other site could not be reached.',
  timeout: 'The other site did not send the image in time.',
  not_found: 'The other site answered with an error, not with the image. It may ask for a sign-in.',
  too_many_redirects: 'The address redirects too many times.',
  too_large: `The image is larger than ${sizes.imageBytes / 1_000_000} MB.`,
  unsupported_format: 'The file is not a PNG, JPEG, GIF, WebP or AVIF image.',
  damaged: `The image is damaged, or has more than ${grouped(sizes.imagePixels)} pixels.`,
  failed: 'The service could not convert the image.',
} as const
export type ImageFailure = keyof typeof imageFailures

/** `z.enum` asks for a list that is not empty. */
const codes = Object.keys(imageFailures) as [ImageFailure, ...ImageFailure[]]

export const ImageCopy = z
  .object({
    state: z.enum(['pending', 'ready', 'failed']).meta({
      id: 'ImageCopyState',
      description:
        '`pending`: not copied yet. `failed`: the last attempt failed. Temporary failures are retried for up to 85 minutes; send the address again to retry at once.',
      example: 'ready',
    }),
    url: z.string().nullable().meta({ description: 'Address of the copy; null unless it is ready.' }),
    error: z
      .object({
        code: z.enum(codes).meta({ id: 'ImageFailure', description: 'Code of the error.' }),
        detail: z.string().meta({ description: 'What is wrong, for people.' }),
      })
      .meta({ id: 'ImageError', description: 'Why there is no copy.' })
      .nullable()
      .meta({ description: 'Why the last attempt failed; null otherwise.' }),
  })
  .meta({
    id: 'ImageCopy',
    description:
      'A small copy of an image of another site. Pages show only the copy, so that the other site does not learn who visits them.',
  })
