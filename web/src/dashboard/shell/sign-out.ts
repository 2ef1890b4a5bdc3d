import { api } from '../api.ts'
import { sendAll } from '../inbox/decisions.ts'
import { forgetTab } from '../kept.ts'
import { toast, toastFailure } from '../ui/toasts.tsx'
import { tellSignedOut } from './person.ts'

/** Ends the session and leaves for the sign-in page, once all decisions are sent. */
export async function signOut(): Promise<void> {
  if (!(await sendAll())) {
    toast({ look: 'bad', text: 'Some decisions could not be sent, so you are still signed in. Check your connection, or undo them.' })
    return
  }
  try {
    await api.auth.session.delete()
  } catch (error) {
    toastFailure(error)
    return
  }
  tellSignedOut()
  forgetTab()
  location.assign('/accounts/sign-in/')
}
