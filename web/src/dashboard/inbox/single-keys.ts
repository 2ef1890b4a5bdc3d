import { useState } from 'react'
import { keep, readKept } from '../kept.ts'

const KEY = 'earshot.single-keys'

/** Whether single letters act. People who speak to their computer turn them off (WCAG 2.2, 2.1.4 "Character Key Shortcuts"). */
export function hasSingleKeys(): boolean {
  return readKept('local', KEY) !== 'off'
}

/** The setting, and a function that changes it in this browser. */
export function useSingleKeys(): [boolean, (isOn: boolean) => void] {
  const [isOn, setIsOn] = useState(hasSingleKeys)
  return [
    isOn,
    (next) => {
      keep('local', KEY, next ? null : 'off')
      setIsOn(next)
    },
  ]
}
