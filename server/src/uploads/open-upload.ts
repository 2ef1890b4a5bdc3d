import { ApiError } from '@earshot/contracts'
import type { Upload } from '@earshot/db'

/** Throws `not_found` for an upload that is deleted, and `upload_expired` for one whose time is over. */
export function requirePresent(upload: Upload | null): Upload {
  if (upload === null) throw new ApiError('not_found')
  if (upload.is_expired) throw new ApiError('upload_expired')
  return upload
}

/** Throws what `requirePresent` throws, and `state_conflict` for an upload that is complete. */
export function requireOpen(upload: Upload | null): Upload {
  const present = requirePresent(upload)
  const { state } = present
  if (state !== 'reserved' && state !== 'uploading') throw new ApiError('state_conflict', { current_state: state })
  return present
}
