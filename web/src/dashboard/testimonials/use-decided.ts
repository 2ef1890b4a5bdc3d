import { useHeld } from '../inbox/decisions.ts'
import type { Words } from './words.ts'

/** The words as they are once the decision on them, if there is one on its way, is made. */
export function useDecided(words: Words): Words {
  const held = useHeld().get(words.id)
  if (!held) return words
  if (held.action === 'reject') return { ...words, state: 'rejected', public: false }
  return { ...words, state: 'approved', public: words.consent.granted && words.consent.revoked_at === null }
}
