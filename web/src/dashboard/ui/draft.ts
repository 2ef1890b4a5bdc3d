import { useEffect, useState } from 'react'
import { keep } from '../kept.ts'
import { readFields } from './kept-fields.ts'

/** State of a long form that survives a reload of the page: what somebody typed stays until it is sent. */
export function useDraft<Fields extends object>(key: string, initial: Fields): [Fields, (change: Partial<Fields>) => void, () => void] {
  const name = `earshot.draft.${key}`
  const [fields, setFields] = useState<Fields>(() => ({ ...initial, ...readFields(name, initial) }))
  const [isChanged, setIsChanged] = useState(false)
  useEffect(() => {
    if (isChanged) keep('session', name, JSON.stringify(fields))
  }, [name, fields, isChanged])
  const change = (changed: Partial<Fields>) => {
    setIsChanged(true)
    setFields((before) => ({ ...before, ...changed }))
  }
  const forget = () => {
    setIsChanged(false)
    keep('session', name, null)
  }
  return [fields, change, forget]
}
