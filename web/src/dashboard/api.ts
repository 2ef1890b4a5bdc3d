import { type Client, createClient, EarshotApiError } from '@earshot/contracts/client'
import { QueryClient } from '@tanstack/react-query'
import { noteServiceTime } from './clock.ts'
import { requireSamePerson } from './same-person.ts'
import { isSignedOut, noteSignedOut } from './signed-out.ts'

/** The output of an operation: `Output<Client['teams']['retrieve']>`. */
export type Output<Call extends (...args: never[]) => PromiseLike<unknown>> = Awaited<ReturnType<Call>>
/** One record of a list operation. */
export type Item<Call extends (...args: never[]) => PromiseLike<{ results: unknown[] }>> = Output<Call>['results'][number]

export type Identity = Output<Client['me']['retrieve']>
export type Team = Item<Client['teams']['list']>
export type Project = Item<Client['projects']['list']>
export type Submission = Item<Client['submissions']['list']>
export type Member = Item<Client['members']['list']>

/** The public API with the session's cookie. Everything that the dashboard does, a program can do by the same operations. */
export const api: Client = createClient({ baseUrl: location.origin, fetch: sendWithSession })

/** The same by requests that outlive the page, for what must arrive when it is left. */
export const leavingApi: Client = createClient({
  baseUrl: location.origin,
  maxRetries: 0,
  fetch: (input, init) => fetch(input, { ...init, keepalive: true }),
})

const MINUTE_MS = 60_000
const PLACES_MS = 10_000

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: MINUTE_MS,
      // The client retries what may pass by itself.
      retry: false,
      // Without a connection it fails in words, instead of waiting without any.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

async function sendWithSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const isOwn = init?.credentials !== 'omit'
  if (isOwn && isSignedOut() && !asksWhoItIs(input)) return refusedHere()
  if (isOwn && init?.method !== undefined && init.method !== 'GET') await requireSamePerson()
  const response = await fetch(input, init)
  noteServiceTime(response)
  if (isOwn) noteRefusal(response.status, response.url)
  return response
}

/** Nothing but this is asked while nobody is signed in: each request would count against the address of whoever wants to sign in. */
function asksWhoItIs(input: RequestInfo | URL): boolean {
  return new URL(input instanceof Request ? input.url : input, location.origin).pathname === '/api/v1/me/'
}

function refusedHere(): Response {
  return Response.json({ code: 'not_authenticated', detail: 'You are signed out.' }, { status: 401 })
}

let placesAskedMs = Number.NEGATIVE_INFINITY
let areToBeAsked = false
/** The lists of teams and of projects, whose own refusals must not ask for them again and again. */
const PLACES = /\/(teams|projects)\/(\?.*)?$/

/** A refusal may mean that the session, the plan, the role, the team or the project is not any more what the page knows. */
function noteRefusal(status: number, address: string): void {
  if (status === 401) noteSignedOut()
  if (![402, 403, 404].includes(status) || PLACES.test(address) || areToBeAsked) return
  areToBeAsked = true
  setTimeout(askForPlaces, Math.max(0, placesAskedMs + PLACES_MS - performance.now()))
}

function askForPlaces(): void {
  areToBeAsked = false
  placesAskedMs = performance.now()
  void queries.invalidateQueries({ queryKey: ['teams'] })
  void queries.invalidateQueries({ queryKey: ['projects'] })
}

const baseUrl = document.querySelector<HTMLMetaElement>('meta[name="earshot-base-url"]')?.content ?? location.origin

/** Returns an address for people outside: a page of visitors, a script, under the service's own name. */
export function publicAddress(path: string): string {
  return baseUrl + path
}

/** Returns an address of the service under the name by which this page was reached; other addresses as they are. */
export function onThisOrigin(address: string): string {
  return address.startsWith(`${baseUrl}/`) ? location.origin + address.slice(baseUrl.length) : address
}

/** Whether the service refused with this code. */
export function isRefusal(error: unknown, code: EarshotApiError['code']): error is EarshotApiError {
  return error instanceof EarshotApiError && error.code === code
}
