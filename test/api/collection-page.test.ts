import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeFormToken } from '../../server/src/auth/form-token.ts'
import { buildPages } from '../support/built-pages.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { setUsed } from '../support/quotas.ts'
import { holdRateWindows, nextRateWindow } from '../support/rate-windows.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const WORDS = { body: 'Saved us a week.', name: 'Ada', rating: '5', consent: 'yes' }
/** What ends elements, attributes and scripts, and what reorders text. */
const HOSTILE = `</script><img src=x onerror=alert(1)>"'&\u202e`
const ESCAPED = '&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;'
const FIRST_LOAD_BYTES = 25_000

let service: TestService
let team: Team
beforeAll(async () => {
  buildPages()
  service = await startTestService({ trustProxy: () => true })
}, 60_000)
beforeEach(async () => {
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test('the page has the words and the colour of the project, no cookie, and a policy without anything inline or foreign', async () => {
  await change({
    name: 'Northlight',
    theme: { color: '#D3402F', logo_url: 'https://logo.example/logo.png' },
    consent_text: 'You may quote me.',
  })
  const { status, headers, body } = await open('')
  expect(status).toBe(200)
  expect(body).toContain('<h1>How is <bdi>Northlight</bdi> working out for you?</h1>')
  expect(body).toContain('You may quote me.')
  expect(body).not.toContain('logo.example')
  expect(body).not.toMatch(/ style=|<style|<script(?! type="(module|application\/json)")| on\w+=/)
  expect(body).not.toMatch(/name="consent"[^>]* checked/)
  expect(headers.get('set-cookie')).toBeNull()
  expect(headers.get('cache-control')).toBe('no-cache')
  expect(headers.get('permissions-policy')).toContain('camera=(self), microphone=(self)')
  const policy = headers.get('content-security-policy') ?? ''
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'", "trusted-types 'none'"])
    expect(policy.split('; ')).toContain(rule)
  expect(policy).not.toContain('unsafe')
  const style = await service.send('GET', '/c/theme/d3402f.css')
  expect(body).toContain('href="/c/theme/d3402f.css"')
  expect([style.status, style.headers.get('content-type'), style.body]).toEqual([200, 'text/css; charset=utf-8', ':root{--brand:#d3402f}'])
  for (const path of ['/c/theme/red;}.css', '/c/theme/d3402f', '/c/theme/D3402F.css'])
    expect((await service.send('GET', path)).status).toBe(404)
})

test('the theme of the address is the look of the page, and stays when it is sent; others are ignored', async () => {
  for (const theme of ['light', 'dark']) {
    const { body } = await open(`?theme=${theme}`)
    expect(body).toContain(`dir="ltr" data-theme="${theme}">`)
    expect(body).toContain(`<meta name="color-scheme" content="${theme}">`)
    expect(body).toMatch(new RegExp(`action="[^"]*theme=${theme}`))
  }
  for (const query of ['', '?theme=auto', '?theme=%22%3E', '?theme=dark&theme=light']) {
    const { body } = await open(query)
    expect(body).toContain('dir="ltr">')
    expect(body).toContain('<meta name="color-scheme" content="light dark">')
  }
})

test('hostile words of the team and of the visitor are text, in the page and in the data of its script', async () => {
  await change({ name: HOSTILE, consent_text: HOSTILE, thank_you_text: HOSTILE, website_url: "https://ok.example/'><script>" })
  const { body } = await open('')
  expect(body).toContain(ESCAPED)
  const sent = await send({ ...WORDS, body: HOSTILE, name: HOSTILE, job: HOSTILE })
  expect(sent.body).toContain(ESCAPED)
  const refused = await send({ ...WORDS, body: HOSTILE, name: HOSTILE, email: HOSTILE })
  expect(refused.status).toBe(400)
  for (const page of [body, sent.body, refused.body]) expect(page).not.toMatch(/<img|<\/script><|<script>/)
  // The title of a tab has no markup to keep an override apart.
  expect(/<title>(.*?)<\/title>/s.exec(body)?.[1]).not.toContain('\u202e')
  const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(body)?.[1] ?? ''
  expect(JSON.parse(data)).toMatchObject({ project: HOSTILE, consentText: HOSTILE })
})

test('the form works without script: what was typed is stored, and the receipt has the link that withdraws the consent', async () => {
  const sent = await send({ ...WORDS, title: 'Yes', email: 'ada@example.com', job: 'CTO', company: 'Engines', body: 'One.\r\nTwo.' })
  expect(sent.status).toBe(200)
  expect(sent.headers.get('cache-control')).toBe('no-store')
  expect(sent.headers.get('set-cookie')).toBeNull()
  expect(sent.body).toContain('Thank you, <bdi><bdi>Ada</bdi></bdi>.')
  expect(sent.body).toContain('★★★★★')
  expect(await stored()).toEqual([
    {
      ...{ channel: 'public', state: 'pending', title: 'Yes', body: 'One.\nTwo.', rating: 5, language: 'en' },
      ...{ author_name: 'Ada', author_email: 'ada@example.com', author_title: 'CTO', author_company: 'Engines' },
      ...{ consent_granted: true, consent_text: 'I agree that my words may be published.' },
    },
  ])
  const [, link = ''] = /href="(\/c\/withdraw\?token=rvk_\w+[^"]*)"/.exec(sent.body) ?? []
  const page = await service.send('GET', link.replaceAll('&amp;', '&'))
  expect([page.status, page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual([200, 'no-store', 'no-referrer'])
})

test('without consent the receipt shows no preview, and nothing to withdraw', async () => {
  const { consent: _none, ...words } = WORDS
  const sent = await send(words)
  expect(sent.body).toContain('It will not be published.')
  expect(sent.body).not.toContain('<blockquote')
  expect(sent.body).not.toContain('/c/withdraw')
  expect(await stored()).toMatchObject([{ consent_granted: false }])
})

test('errors stand beside their fields, and everything that was typed stays', async () => {
  const long = 'é'.repeat(201)
  const { status, body } = await send({ body: '', name: long, email: 'nobody', title: 'Kept', rating: '4', consent: 'yes' })
  expect(status).toBe(400)
  expect(body).toContain('Please check the marked fields.')
  expect(problem(body, 'body')).toBe('Please write a few words.')
  expect(problem(body, 'name')).toBe('Please use at most 200 characters.')
  expect(problem(body, 'email')).toBe('This is not an e-mail address.')
  expect(problem(body, 'title')).toBe('')
  expect(body).toContain(`value="${long}"`)
  for (const kept of ['value="nobody"', 'value="Kept"', 'value="4" checked', 'value="yes" checked', '<details class="more" open>'])
    expect(body).toContain(kept)
  expect(body).toMatch(/<input id="email"[^>]* aria-invalid="true" aria-describedby="email-problem"/)
})

test('10,000 characters of any script fit in the form, one more does not', async () => {
  const words = '語'.repeat(10_000)
  expect((await send({ ...WORDS, body: words })).status).toBe(200)
  const { status, body } = await send({ ...WORDS, body: `${words}語` })
  expect([status, problem(body, 'body')]).toEqual([400, 'Please use at most 10,000 characters.'])
  const zalgo = `a${'\u0301'.repeat(9_999)}`
  expect((await send({ ...WORDS, body: zalgo })).status).toBe(200)
})

test('a filled trap looks like a success and stores nothing', async () => {
  const sent = await send({ ...WORDS, website: 'https://spam.example' })
  expect([sent.status, sent.body.includes('Thank you, ')]).toEqual([200, true])
  expect(await stored()).toEqual([])
})

test('a form that was sent too soon gets its words, and its values back', async () => {
  const { status, body } = await send({ ...WORDS, form_token: makeFormToken(service.secretBox, Date.now()) })
  expect(status).toBe(400)
  expect(body).toContain('This page was not open long enough')
  expect(body).toContain('Saved us a week.</textarea>')
})

test('a used-up quota, a limit and a deleted project have their words, and what was typed stays', async () => {
  const free = await makeTeam(service.database, { plan: 'free' })
  await setUsed(service.database, free.id, 50)
  team = free
  const full = await send(WORDS)
  expect([full.status, full.body.includes('cannot receive anything more')]).toEqual([402, true])
  expect(full.body).toContain('Saved us a week.</textarea>')
  expect(full.body).not.toContain('of its plan')

  const limited = await startTestService({ rateLimitMultiplier: 1 })
  await holdRateWindows(limited.address)
  const other = await makeTeam(limited.database)
  const post = (body: string) =>
    limited.send('POST', `/c/${other.publicKey}`, { headers: FORM, body: String(new URLSearchParams({ ...WORDS, body })) })
  for (let sent = 0; sent < 10; sent += 1) expect((await post(`Words ${sent}`)).status).toBe(200)
  const refused = await post('One too many')
  expect([refused.status, refused.body.includes('Please try again in 1 minute.')]).toEqual([429, true])
  expect(refused.body).toContain('One too many</textarea>')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await nextRateWindow(limited.database)
  await limited.close()

  team = await makeTeam(service.database)
  await service.client(team.token).projects.delete(team.project)
  const gone = await open('')
  expect([gone.status, gone.body.includes('<h1>This page does not exist</h1>')]).toEqual([404, true])
})

test('an unknown key, a token in the address and a method that no page has are pages or refusals without details', async () => {
  const cut = ['/c', '/c/', `/c/${team.publicKey}/more`, '/s', '/s/', '/s/one/two']
  for (const path of ['/c/pk_unknown', `/c/${'x'.repeat(500)}`, `/c/${team.publicKey}?lang=svc_secret`, ...cut]) {
    const { status, headers, body } = await service.send('GET', path)
    expect([404, 401]).toContain(status)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(body).toContain('<h1>This page does not exist</h1>')
  }
  expect((await service.send('DELETE', `/c/${team.publicKey}`)).status).toBe(405)
})

test('the pages work for any name that reaches the service, and may be framed by any site', async () => {
  const { body, headers } = await open('?embed', { host: '127.0.0.1:9', origin: 'https://shop.example' })
  expect(headers.get('content-security-policy')).toContain('frame-ancestors *')
  expect(headers.get('x-frame-options')).toBeNull()
  expect(body).toContain('<body class="visit embed">')
  expect(body).not.toContain('<header class="brand">')
  expect(body).toContain('?lang=en&amp;embed"')
  expect((await open('?embed=1')).body).toContain('?lang=en&amp;embed"')
  // Every address in the page is a path.
  expect(body).not.toMatch(/(href|src|action)="https?:\/\/(localhost|127)/)
})

test(`everything that the first visit loads has at most ${FIRST_LOAD_BYTES} bytes`, async () => {
  const { body } = await open('?lang=en')
  const addresses = [...body.matchAll(/<(?:link rel="(?:stylesheet|modulepreload)" href|script type="module" src)="([^"]+)"/g)].map(
    ([, address = '']) => address,
  )
  expect(addresses.length).toBeGreaterThanOrEqual(2)
  const parts = await Promise.all(addresses.map((address) => fetch(service.url + address).then((answer) => answer.arrayBuffer())))
  const bytes = [Buffer.from(body), ...parts.map((part) => Buffer.from(part))].reduce(
    (sum, part) => sum + gzipSync(part, { level: 9 }).length,
    0,
  )
  expect(bytes).toBeLessThanOrEqual(FIRST_LOAD_BYTES)
  const compressed = await fetch(`${service.url}/c/${team.publicKey}`, { headers: { 'accept-encoding': 'gzip' } })
  expect(compressed.headers.get('content-encoding')).toBe('gzip')
  const plain = await fetch(`${service.url}/c/${team.publicKey}`, { headers: { 'accept-encoding': 'gzip;q=0, identity' } })
  expect(plain.headers.get('content-encoding')).toBeNull()
})

function open(query: string, headers: Record<string, string> = {}): Promise<TestResponse> {
  return service.send('GET', `/c/${team.publicKey}${query}`, { headers: { 'accept-encoding': 'identity', ...headers } })
}

function send(fields: Record<string, string>): Promise<TestResponse> {
  const form_token = makeFormToken(service.secretBox, Date.now() - 3_000)
  return service.send('POST', `/c/${team.publicKey}`, { headers: FORM, body: String(new URLSearchParams({ form_token, ...fields })) })
}

function change(fields: Record<string, unknown>): Promise<unknown> {
  return service.client(team.token).projects.update({ ...team.project, ...fields })
}

function stored(): Promise<unknown[]> {
  return service.database.run(
    `select channel, state, title, body, rating, language, author_name, author_email, author_title, author_company, consent_granted, consent_text
       from submissions where team_id = $1`,
    [team.id],
  )
}

/** What stands below a field. */
function problem(page: string, name: string): string | undefined {
  return new RegExp(`id="${name}-problem">([^<]*)<`).exec(page)?.[1]
}
