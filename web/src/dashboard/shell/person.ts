import { useEffect } from 'react'
import { type Identity, queries } from '../api.ts'
import { forgetDecisions } from '../inbox/decisions.ts'
import { forgetTab, keep, readKept } from '../kept.ts'
import { identityQuery } from './places.ts'

const PERSON = 'earshot.person'
const CHANNEL = 'earshot-person'

/**
 * Watches whose session the pages have. When somebody else signs in, in any tab, what this person typed or decided and did not send is
 * forgotten before the page is loaded anew: it is neither shown to them nor sent in their name.
 */
export function usePerson(identity: Identity | undefined): void {
  const id = identity?.user.id
  useEffect(() => {
    if (id === undefined) return
    if (readKept('session', PERSON) !== id) {
      forgetTab()
      keep('session', PERSON, id)
    }
    const compare = (other: string) => {
      if (other !== id) changePerson()
    }
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data }: MessageEvent<string>) => compare(data)
    channel.postMessage(id)
    const look = () => {
      if (document.visibilityState === 'visible')
        void queries.fetchQuery(identityQuery).then(
          ({ user }) => compare(user.id),
          () => {},
        )
    }
    document.addEventListener('visibilitychange', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      channel.close()
    }
  }, [id])
}

/** Leaves nothing of the last person. */
export function changePerson(): void {
  forgetDecisions()
  forgetTab()
  location.reload()
}
