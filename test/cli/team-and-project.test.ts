import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { playService } from './fake-service.ts'
import { PROJECT, page, TEAM } from './records.ts'

const list = ['submissions', 'list']
const acme = { id: TEAM, name: 'Acme', role: 'owner', plan: 'pro' }
const other = { ...acme, id: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e09', name: 'Other' }
const website = { id: PROJECT, name: 'Website' }

function me(...teams: unknown[]) {
  return { json: { teams } }
}

test('the only team and the only project are the defaults', async () => {
  await using service = await playService(me(acme), page([website]), page([]))
  expect(await earshot(list, { url: service.url })).toMatchObject({ exitCode: 0 })
  expect(service.requests.map(({ path }) => path)).toEqual([
    '/api/v1/me/',
    `/api/v1/teams/${TEAM}/projects/`,
    `/api/v1/teams/${TEAM}/projects/${PROJECT}/submissions/`,
  ])
})

test('a flag overrides the environment, which overrides the default', async () => {
  await using service = await playService(page([]))
  const env = { EARSHOT_TEAM: 'T2', EARSHOT_PROJECT: 'P2' }
  await earshot([...list, '--project', 'P1'], { url: service.url, env })
  expect(service.requests.map(({ path }) => path)).toEqual(['/api/v1/teams/T2/projects/P1/submissions/'])
})

test('several teams end with 2 and the list of them', async () => {
  await using service = await playService(me(acme, other))
  const { exitCode, out, err } = await earshot(list, { url: service.url })
  expect([exitCode, out]).toEqual([2, ''])
  expect(err).toContain('error: choose a team with --team or EARSHOT_TEAM:')
  expect(err).toContain(`  ${acme.id}  Acme\n  ${other.id}  Other\n`)
})

test('several projects over several pages end with 2 and the list of them', async () => {
  await using service = await playService(page([website], 'c1'), page([{ ...website, id: 'P2', name: 'Shop' }]))
  const { exitCode, err } = await earshot(list, { url: service.url, env: { EARSHOT_TEAM: TEAM } })
  expect(exitCode).toBe(2)
  expect(err).toContain(`error: choose a project with --project or EARSHOT_PROJECT:\n  ${PROJECT}  Website\n  P2  Shop\n`)
})

test('no project ends with 2 and how to make one', async () => {
  await using service = await playService(page([]))
  const { exitCode, err } = await earshot(list, { url: service.url, env: { EARSHOT_TEAM: TEAM } })
  expect(exitCode).toBe(2)
  expect(err).toContain('earshot projects create --name')
})

test('a command without a team does not look for one', async () => {
  await using service = await playService(page([]))
  await earshot(['teams', 'list'], { url: service.url })
  expect(service.requests.map(({ path }) => path)).toEqual(['/api/v1/teams/'])
})
