import { z } from 'zod'
import { grouped, sizes } from '../limits.ts'

/** Why an image of another site could not be copied, in words for the person who gave its address. */
export const imageFailures = {
  blocked_address: 'The address is, or leads to, a private, local or reserved one.',
  unreachable: 'The other site could not be reached.',
  timeout: 'The other site did not send the image in time.',
  not_found: 'The other site answered with an error, not with the image. It may ask for a sign-in.',
  too_many_redirects: 'The address leads from one to the next too often.',
  too_large: `The image is larger than ${sizes.imageBytes / 1_000_000} MB.`,
  unsupported_format: 'The address holds no PNG, JPEG, GIF, WebP or AVIF image.',
  damaged: `The image is damaged, or has more than ${grouped(sizes.imagePixels)} pixels.`,
  failed: 'The service could not convert the image.',
} as const
export type ImageFailure = keyof typeof imageFailures

/** PropertyKeys as a list that is not empty, as `z.enum` asks for. */
const codes = Object.keys(imageFailures) as [ImageFailure, ...ImageFailure[]]

export const ImageCopy = z
  .object({
    state: z.enum(['pending', 'ready', 'failed']).meta({
      id: 'ImageCopyState',
      description:
        '`pending`: it is about to be copied. `failed`: it could not be so far. What may pass is tried again within 85 minutes; send its address again for another try at once.',
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
      .meta({ description: 'Why it failed; of the last try.' }),
  })
  .meta({
    id: 'ImageCopy',
    description: 'A small copy of an image of another site, from which alone pages show it: no other site learns who visits them.',
  })
