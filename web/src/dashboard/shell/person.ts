import { useEffect } from 'react'
import type { Identity } from '../api.ts'
import { forgetDecisions } from '../inbox/decisions.ts'
import { forgetTab } from '../kept.ts'
import { checkPerson, watchPerson } from '../same-person.ts'
import { noteSignedOut } from '../signed-out.ts'

const CHANNEL = 'earshot-person'
/** In place of an id. */
const NOBODY = ''

/**
 * Watches whose session the pages have. When somebody else signs in, in any tab, what this person typed or decided and did not send is
 * forgotten before the page is loaded anew: it is neither shown to them nor sent in their name.
 */
export function usePerson(identity: Identity | undefined): void {
  const id = identity?.user.id
  useEffect(() => {
    if (id === undefined) return
    watchPerson(id, changePerson)
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data }: MessageEvent<string>) => {
      if (data === NOBODY) noteSignedOut()
      else if (data !== id) changePerson()
    }
    channel.postMessage(id)
    const look = () => {
      if (document.visibilityState === 'visible') void checkPerson().catch(() => {})
    }
    addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
      channel.close()
    }
  }, [id])
}

/** Tells the other tabs that the session has ended. */
export function tellSignedOut(): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(NOBODY)
  channel.close()
}

/** Leaves nothing of the last person. */
export function changePerson(): void {
  forgetDecisions()
  forgetTab()
  location.reload()
}
