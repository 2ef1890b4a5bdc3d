import { useState } from 'react'
import { keep as keepText } from '../kept.ts'
import { isSame, keepFields, readFields } from './kept-fields.ts'

/** The fields of a form as they are typed, beside those that are saved. */
export interface Form<Fields> {
  values: Fields
  isChanged: boolean
  set: (change: Partial<Fields>) => void
  /** Takes over what the service saved, or what was there before. */
  reset: (saved: Fields) => void
}

/**
 * Keeps what is typed into a form. Under `draftKey` it survives a reload of the page, until it is saved or discarded: fields that
 * the draft does not have, or has with another type, are as they are saved.
 */
export function useForm<Fields extends object>(saved: Fields, draftKey: string): Form<Fields> {
  const [values, setValues] = useState(() => ({ ...saved, ...readFields(draftKey, saved) }))
  const keep = (next: Fields) => {
    setValues(next)
    keepFields(draftKey, next, saved)
  }
  return {
    values,
    isChanged: !isSame(values, saved),
    set: (change) => keep({ ...values, ...change }),
    reset: (next) => {
      keepText('session', draftKey, null)
      setValues(next)
    },
  }
}
