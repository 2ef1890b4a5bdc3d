import { addTeamMember } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { givePassword, makeTeam, makeUser, PASSWORD, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const WORDS = 'Ends </script><script>alert(1)</script> here & there'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  await givePassword(service.database, team.ownerId)
  await team.submit({ body: WORDS, author_name: '<b>Ada</b>', author_email: 'ada@example.com' })
})
afterAll(() => service.close())

/** Somebody of the team, signed in. */
async function enter(role: 'owner' | 'viewer') {
  const { email, id } = await makeUser(service.database, PASSWORD)
  await addTeamMember(service.database, { team_id: team.id, userId: id, role })
  const browser = openBrowser(service)
  await browser.signIn(email, PASSWORD)
  const headers = { cookie: browser.cookie() }
  const open = (path: string) => service.send('GET', path, { headers })
  const [place] = (await open('/api/v1/teams/')).body.results
  const [project] = (await open(`/api/v1/teams/${team.id}/projects/`)).body.results
  return { open, headers, inbox: `/app/${place.slug}/${project.slug}/inbox`, api: `/api/v1/teams/${team.id}/projects/${project.id}` }
}

function dataOf(page: string) {
  const [, text] = /<script type="application\/json" id="first-data">([^<]*)<\/script>/.exec(page) ?? []
  return text === undefined ? null : JSON.parse(text)
}

test('the document of the inbox has what the API responds with, to the same person', async () => {
  for (const role of ['owner', 'viewer'] as const) {
    const { open, inbox, api } = await enter(role)
    const data = dataOf((await open(inbox)).body)
    expect(data.me).toEqual((await open('/api/v1/me/')).body)
    expect(data.teams).toEqual((await open('/api/v1/teams/')).body.results)
    expect(data.projects.results).toEqual((await open(`/api/v1/teams/${team.id}/projects/`)).body.results)
    expect(data.counts.counts).toEqual((await open(`${api}/submissions/counts/`)).body)
    expect(data.submissions.page).toEqual((await open(`${api}/submissions/?state=pending`)).body)
    expect(data.submissions.page.results[0].author.email === 'ada@example.com', role).toBe(role === 'owner')
  }
})

test('the words of strangers stay text, in the data and in what is shown before the script runs', async () => {
  const { open, inbox } = await enter('owner')
  const { body } = await open(inbox)
  expect(dataOf(body).submissions.page.results[0].body).toBe(WORDS)
  expect(body).toContain('Ends &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; here &amp; there')
  expect(body).toContain('&lt;b&gt;Ada&lt;/b&gt;')
  expect(body).not.toContain('<script>alert')
  expect(body).not.toContain('<b>Ada')
})

test('other pages have no submissions, and a team of others is as unknown as one that does not exist', async () => {
  const { open, inbox } = await enter('owner')
  const settings = dataOf((await open(inbox.replace(/inbox$/, 'settings'))).body)
  expect([settings.submissions, settings.counts.counts.pending]).toEqual([undefined, 1])
  expect(dataOf((await open(`${inbox}?state=approved`)).body).submissions).toBeUndefined()
  const other = await makeTeam(service.database)
  for (const unknown of [other.id, 'nobody', '..%2f']) {
    const data = dataOf((await open(`/app/${unknown}/${other.project.project_id}/inbox`)).body)
    expect(Object.keys(data).sort(), unknown).toEqual(['me', 'now', 'teams'])
  }
})

test('a session that has ended leads to the sign-in page at once, and back', async () => {
  const { open, headers, inbox } = await enter('viewer')
  const ended = await service.send('DELETE', '/api/auth/session/', { headers: { ...headers, 'sec-fetch-site': 'same-origin' } })
  expect(ended.status).toBe(204)
  const { status, headers: sent, body } = await open(inbox)
  expect([status, sent.get('location'), sent.get('cache-control')]).toEqual([
    303,
    `/accounts/sign-in/?${new URLSearchParams({ next: inbox })}`,
    'no-store',
  ])
  expect(String(body)).not.toContain('first-data')
})

test('a token in the address is no reason to fail, and opens nothing', async () => {
  const { open, inbox } = await enter('owner')
  const { status, body } = await open(`${inbox}?q=${team.token}`)
  expect([status, dataOf(body)]).toEqual([200, null])
})
