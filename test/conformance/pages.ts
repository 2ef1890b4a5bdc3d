import { runAdmin } from '../support/run-admin.ts'
import { account } from './account.ts'
import { type ScannedPage, scanPages } from './observatory.ts'

const CALLBACK = 'https://app.example/callback'
const PUBLIC_PAGES = ['/accounts/sign-in/', '/accounts/sign-up/', '/accounts/password-reset/', '/api/docs/', '/api/redoc/']
const OWN_PAGES = [
  '/accounts/',
  '/accounts/profile/',
  '/accounts/notifications/',
  '/accounts/tokens/',
  '/accounts/applications/',
  '/accounts/sessions/',
  '/accounts/password/',
  '/accounts/second-factor/',
  '/o/device/',
]

/** Scans every page with MDN's HTTP Observatory, signed out and signed in. */
export async function checkPages(url: string, environment: Record<string, string>): Promise<string | null> {
  const answer = await fetch(`${url}/api/auth/session/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  const setCookies = answer.headers.getSetCookie()
  if (setCookies.length === 0) return `signing in failed: ${answer.status} ${await answer.text()}`
  const cookie = setCookies[0]?.split(';', 1)[0] ?? ''
  const own = [...OWN_PAGES, await consentPath(environment)]
  const pages: ScannedPage[] = [...PUBLIC_PAGES.map((path) => ({ path })), ...own.map((path) => ({ path, cookie }))]
  return scanPages(url, pages, setCookies)
}

/** The consent page of an application. */
async function consentPath(environment: Record<string, string>): Promise<string> {
  const registered = ['--name', 'Wall of praise', '--type', 'public', '--redirect-uri', CALLBACK, '--scopes', 'read:teams']
  const { client_id } = JSON.parse(await runAdmin(environment, 'oauth-client', 'create', ...registered, '--json'))
  const question = {
    client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  }
  return `/o/authorize/?${new URLSearchParams(question)}`
}
