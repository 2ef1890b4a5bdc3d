import { useEffect, useState } from 'react'
import { keep as keepText, readKept } from '../kept.ts'

/** State of a long form that survives a reload of the page: what somebody typed stays until it is sent. */
export function useDraft<Fields extends object>(key: string, initial: Fields): [Fields, (change: Partial<Fields>) => void, () => void] {
  const name = `earshot.draft.${key}`
  const [fields, setFields] = useState<Fields>(() => ({ ...initial, ...readDraft(name, initial) }))
  const [isChanged, setIsChanged] = useState(false)
  useEffect(() => {
    if (isChanged) keepText('session', name, JSON.stringify(fields))
  }, [name, fields, isChanged])
  const change = (changed: Partial<Fields>) => {
    setIsChanged(true)
    setFields((before) => ({ ...before, ...changed }))
  }
  const forget = () => {
    setIsChanged(false)
    keepText('session', name, null)
  }
  return [fields, change, forget]
}

/** Keeps only fields that the form still has, with values of their type. */
function readDraft<Fields extends object>(name: string, initial: Fields): Partial<Fields> {
  const stored: unknown = JSON.parse(readKept('session', name) ?? '{}')
  const types = new Map(Object.entries(initial).map(([field, value]) => [field, typeof value]))
  const known = Object.entries(stored ?? {}).filter(([field, value]) => typeof value === types.get(field))
  // Proven: names and types were compared.
  return Object.fromEntries(known) as Partial<Fields>
}
