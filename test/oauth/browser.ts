import type { Answer, TestService } from '../src/test-service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** A person at a browser: opens pages, fills forms in, presses buttons, follows redirects within the service. */
export interface Browser {
  signIn: (email: string, password: string) => Promise<void>
  /** Opens an address; redirects to other sites are not followed. */
  open: (address: string) => Promise<Answer>
  /** Submits the form of the page by one of its buttons; gives where it leads, if elsewhere. */
  press: (decision: 'allow' | 'deny') => Promise<string | null>
  /** Submits the form of the page with what was typed. */
  type: (fields: Record<string, string>) => Promise<Answer>
  /** The page that is open. */
  page: () => Answer
  cookie: () => string
  /** Another tab on the same page. */
  tab: () => Browser
}

export function openBrowser(service: Pick<TestService, 'url' | 'send'>, cookie = '', page?: Answer): Browser {
  const state = { cookie, page }

  async function request(method: string, path: string, body?: string): Promise<Answer> {
    const headers = { ...(state.cookie !== '' && { cookie: state.cookie }), ...(body !== undefined && FORM) }
    const answer = await service.send(method, path, { headers, ...(body !== undefined && { body }) })
    const set = answer.headers.get('set-cookie')
    if (set) state.cookie = set.split(';', 1)[0] ?? ''
    const location = answer.headers.get('location')
    if (location?.startsWith('/')) return request('GET', location)
    state.page = answer
    return answer
  }

  const current = () => {
    if (!state.page) throw new Error('No page is open')
    return state.page
  }
  const submit = (fields: Record<string, string>) => {
    const { action, hidden } = formOf(String(current().body))
    return request('POST', action, String(new URLSearchParams({ ...hidden, ...fields })))
  }

  return {
    signIn: async (email, password) => {
      await request('GET', '/accounts/sign-in/')
      await submit({ email, password })
    },
    open: (address) => request('GET', address.replace(service.url, '')),
    press: async (decision) => (await submit({ decision })).headers.get('location'),
    type: submit,
    page: current,
    cookie: () => state.cookie,
    tab: () => openBrowser(service, state.cookie, state.page),
  }
}

/** The form in the body of a page, without the one that signs out. */
function formOf(page: string): { action: string; hidden: Record<string, string> } {
  const main = page.slice(page.indexOf('<main>'))
  const [, action] = main.match(/<form method="post" action="([^"]+)"/) ?? []
  if (action === undefined) throw new Error(`There is no form on the page:\n${page}`)
  const inputs = [...main.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  return { action, hidden: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescaped(value)])) }
}

function unescaped(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity)
}
