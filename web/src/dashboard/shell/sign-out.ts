import { api } from '../api.ts'
import { sendAll } from '../inbox/decisions.ts'

/** Ends the session and leaves for the sign-in page. */
export async function signOut(): Promise<void> {
  await sendAll()
  await api.auth.session.delete()
  location.assign('/accounts/sign-in/')
}
