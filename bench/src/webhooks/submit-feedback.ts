import type { Team } from '../teams.ts'
import type { Accepted, WebhookFixture } from './fixture.ts'

/** Submits as a visitor: the commit nudges the worker in the same process. Returns when it was accepted. */
export async function submitFeedback({ service }: WebhookFixture, { publicKey }: Team): Promise<Accepted> {
  const response = await fetch(`${service.url}/api/public/v1/projects/${publicKey}/submissions/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ body: `Feedback ${Math.random()}`, rating: 5, author: { name: 'Ada Lovelace' }, consent: { granted: true } }),
  })
  const text = await response.text()
  const acceptedMs = Date.now()
  if (response.status !== 201) throw new Error(`The submission failed with ${response.status}: ${text}`)
  return { id: JSON.parse(text).id, acceptedMs }
}
