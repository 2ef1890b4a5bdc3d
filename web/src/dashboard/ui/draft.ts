import { useEffect, useRef, useState } from 'react'
import { keep } from '../kept.ts'
import { keepFields, readFields } from './kept-fields.ts'

/**
 * State of a form that survives a reload of the page: what somebody typed stays until it is sent. The key names the record, or the
 * project or team, that the form is about. It is kept by the tab, and forgotten when somebody else signs in (shell/person.ts).
 */
export function useDraft<Fields extends object>(key: string, initial: Fields): [Fields, (change: Partial<Fields>) => void, () => void] {
  const name = `earshot.draft.${key}`
  const [fields, setFields] = useState<Fields>(() => ({ ...initial, ...readFields(name, initial) }))
  const [isChanged, setIsChanged] = useState(false)
  const first = useRef(initial)
  useEffect(() => {
    if (isChanged) keepFields(name, fields, first.current)
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
