import { ApiError, fitsAsStoredJson, sizes } from '@earshot/contracts'

/** Applies a JSON Merge Patch (RFC 7396 §2): null removes a member, an object is merged, any other value replaces. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  // Unlike an assignment, this makes a member of the name `__proto__`.
  return Object.fromEntries(merged)
}

/** Merges metadata. Throws `validation_error` when the merge is too large: each patch is small enough, but that may not be. */
export function mergedMetadata(metadata: Record<string, unknown>, patch: Record<string, unknown>): Record<string, unknown> {
  const merged = mergePatch(metadata, patch) as Record<string, unknown> // Both are objects.
  if (fitsAsStoredJson(merged, sizes.metadataBytes)) return merged
  const detail = `must be at most ${sizes.metadataBytes} bytes of JSON after the merge`
  throw new ApiError('validation_error', { errors: [{ field: 'metadata', code: 'too_big', detail }] })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
