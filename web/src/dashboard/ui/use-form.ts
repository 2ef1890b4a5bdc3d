import { useState } from 'react'
import { keep as keepText, readKept } from '../kept.ts'

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
  const [values, setValues] = useState(() => ({ ...saved, ...readDraft(saved, draftKey) }))
  const keep = (next: Fields) => {
    setValues(next)
    if (isSame(next, saved)) keepText('session', draftKey, null)
    else keepText('session', draftKey, JSON.stringify(next))
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

function readDraft<Fields extends object>(saved: Fields, key: string): Partial<Fields> {
  const draft: unknown = JSON.parse(readKept('session', key) ?? '{}')
  if (typeof draft !== 'object' || draft === null) return {}
  const types = new Map(Object.entries(saved).map(([name, value]) => [name, typeof value]))
  // Proven: only fields of the form are kept, with values of their types.
  return Object.fromEntries(Object.entries(draft).filter(([name, value]) => types.get(name) === typeof value)) as Partial<Fields>
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
