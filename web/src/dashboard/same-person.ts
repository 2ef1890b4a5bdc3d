import { createClient, EarshotApiError } from '@earshot/contracts/client'
import { noteSignedOut } from './signed-out.ts'

/** Asks by itself: what the dashboard sends waits for it. */
const plainApi = createClient({ baseUrl: location.origin, maxRetries: 0 })

/** It is not known whose session it is: what waited for that was not sent. */
export class UnknownPersonError extends Error {
  override name = 'UnknownPersonError'
}

let person: string | null = null
/** Nobody can have signed in elsewhere in this browser while this window has the focus. */
let isSure = false
let leave = () => {}
let checking: Promise<void> | null = null

/** Whose pages these are from now on, and what to do when the session is somebody else's. */
export function watchPerson(id: string, onOther: () => void): void {
  person = id
  leave = onOther
}

/** Asks whose session it is. Leaves the page when it is somebody else's; throws when nobody's, or when the service does not answer. */
export function checkPerson(): Promise<void> {
  checking ??= askForPerson().finally(() => {
    checking = null
  })
  return checking
}

async function askForPerson(): Promise<void> {
  try {
    const { user } = await plainApi.me.retrieve()
    if (person === null || user.id === person) {
      isSure = document.hasFocus()
      return
    }
  } catch (error) {
    if (error instanceof EarshotApiError && error.status === 401) noteSignedOut()
    if (error instanceof EarshotApiError) throw error
    throw new UnknownPersonError('The service does not answer.', { cause: error })
  }
  leave()
  throw new UnknownPersonError('Somebody else has signed in.')
}

/** Awaited before each change, so that none is made in the name of somebody else. */
export async function requireSamePerson(): Promise<void> {
  if (person !== null && !isSure) await checkPerson()
}

function doubt(): void {
  isSure = false
}

addEventListener('blur', doubt)
document.addEventListener('visibilitychange', doubt)
