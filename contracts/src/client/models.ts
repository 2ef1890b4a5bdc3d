import type { z } from 'zod'
import type { contracts } from '../index.ts'

// The models that the client itself speaks of.

export type { ErrorBody, ErrorCode, FieldError } from '../errors.ts'
export type { Import } from '../schemas/import.ts'
export type ReservedImport = Pick<z.output<typeof contracts.imports.create.output>, 'upload'>
export type ReserveInput = z.input<typeof contracts.videos.reserve.input>
export type ReservedVideo = z.output<typeof contracts.videos.reserve.output>
export type CompleteInput = z.input<typeof contracts.videos.complete.input>
export type Video = z.output<typeof contracts.videos.complete.output>
