import { useEffect } from 'react'
import { api, queries } from '../api.ts'
import { useHeld } from '../inbox/decisions.ts'
import { noteSignedIn, useIsSignedOut } from '../signed-out.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { changePerson } from './person.ts'

/** Asks to sign in again in another tab, and leaves the page as it is, so that nothing typed is lost. */
export function SignedOutDialog() {
  const isSignedOut = useIsSignedOut()
  const count = useHeld().size
  useEffect(() => {
    if (!isSignedOut) return
    const look = () => void resume()
    addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [isSignedOut])
  if (!isSignedOut) return null
  const address = `/accounts/sign-in/?${new URLSearchParams({ next: '/app/' })}`
  return (
    <Dialog title="You are signed out" onClose={() => {}} isFixed>
      <p>Your session has ended. Sign in again in a new tab and come back: what you typed on this page is still here.</p>
      {count > 0 && (
        <p>
          <strong>{count === 1 ? 'One decision is not sent yet.' : `${count} decisions are not sent yet.`}</strong>{' '}
          {count === 1 ? 'It waits on this page, and is' : 'They wait on this page, and are'} sent once you have signed in.
        </p>
      )}
      <footer>
        <Button onClick={() => void resume()}>I have signed in</Button>
        <a className="btn primary" href={address} target="_blank" rel="noopener">
          Sign in
        </a>
      </footer>
    </Dialog>
  )
}

async function resume(): Promise<void> {
  try {
    const identity = await api.me.retrieve()
    const before = queries.getQueryData<typeof identity>(['me'])
    // Somebody else's pages must not be filled with this person's texts, nor shown to them.
    if (before && before.user.id !== identity.user.id) return changePerson()
    noteSignedIn()
    // The lists of submissions hold thousands: the stream tells what changed.
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'submissions' })
  } catch {
    // Still signed out, or offline: the dialog stays.
  }
}
