import { parseCookie, parseSetCookie, stringifyCookie } from 'cookie'
import type { TestResponse, TestService } from './test-service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** A person at a browser: opens pages, fills forms in, presses buttons, follows redirects within the service. */
export interface Browser {
  /** Signs in on the sign-in page, which leads to `next`. */
  signIn: (email: string, password: string, next?: string) => Promise<TestResponse>
  /** Opens an address; redirects to other sites are not followed. */
  open: (address: string) => Promise<TestResponse>
  /** Submits the form of the page by one of its buttons. Returns the redirect target, if any. */
  press: (decision: 'allow' | 'deny') => Promise<string | null>
  /** Submits a form of the page with fields changed: the first form, or the first that shows a text. */
  type: (fields: Record<string, string>, shown?: string) => Promise<TestResponse>
  /** Sends a form that is on no page. */
  post: (path: string, fields: Record<string, string>) => Promise<TestResponse>
  /** The values in a form: the first, or the first that shows a text. */
  filled: (shown?: string) => Record<string, string>
  /** The page that is open. */
  page: () => TestResponse
  cookie: () => string
  /** Another tab on the same page. */
  tab: () => Browser
}

export function openBrowser(service: Pick<TestService, 'url' | 'send'>, cookie = '', page?: TestResponse): Browser {
  const state = { cookie, page }

  async function request(method: string, path: string, body?: string): Promise<TestResponse> {
    const headers = { ...(state.cookie !== '' && { cookie: state.cookie }), ...(body !== undefined && FORM) }
    const answer = await service.send(method, path, { headers, ...(body !== undefined && { body }) })
    state.cookie = answer.headers.getSetCookie().reduce(withCookie, state.cookie)
    const location = answer.headers.get('location')
    if (location?.startsWith('/')) return request('GET', location)
    state.page = answer
    return answer
  }

  const current = () => {
    if (!state.page) throw new Error('No page is open')
    return state.page
  }
  const post = (path: string, fields: Record<string, string>) => request('POST', path, String(new URLSearchParams(fields)))
  const submit = (fields: Record<string, string>, shown = '') => {
    const { action, filled } = formOf(String(current().body), shown)
    return post(action, { ...filled, ...fields })
  }

  return {
    signIn: async (email, password, next) => {
      await request('GET', `/accounts/sign-in/${next === undefined ? '' : `?${new URLSearchParams({ next })}`}`)
      return submit({ email, password })
    },
    open: (address) => request('GET', address.replace(service.url, '')),
    press: async (decision) => (await submit({ decision })).headers.get('location'),
    type: submit,
    post,
    filled: (shown = '') => formOf(String(current().body), shown).filled,
    page: current,
    cookie: () => state.cookie,
    tab: () => openBrowser(service, state.cookie, state.page),
  }
}

/** Returns the Cookie header after a Set-Cookie header. */
function withCookie(cookies: string, set: string): string {
  const { name, value = '', maxAge } = parseSetCookie(set)
  const { [name]: _previous, ...others } = parseCookie(cookies)
  return stringifyCookie(maxAge === 0 ? others : { ...others, [name]: value })
}

/** Finds a form in the body of a page, except the one that signs out, and its values. */
function formOf(page: string, shown: string): { action: string; filled: Record<string, string> } {
  const forms = page.slice(page.indexOf('<main')).match(/<form .*?<\/form>/gs) ?? []
  const form = forms.find((one) => unescaped(one).includes(shown)) ?? ''
  const [, action] = form.match(/^<form method="post" action="([^"]+)"/) ?? []
  if (action === undefined) throw new Error(`There is no such form on the page:\n${page}`)
  const texts = [...form.matchAll(/<input (?:type="(?:hidden|text|email|url)" )?name="([^"]+)" value="([^"]*)"/g)]
  const boxes = [...form.matchAll(/<input type="checkbox" name="([^"]+)"(?= checked)/g)].map(([, name = '']) => [name, 'on'])
  const choices = [...form.matchAll(/<select name="([^"]+)"[^>]*>.*?<option value="([^"]*)" selected/gs)]
  const typed = [...texts, ...choices].map(([, name = '', value = '']) => [name, unescaped(value)])
  return { action, filled: Object.fromEntries([...typed, ...boxes]) }
}

function unescaped(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity)
}
