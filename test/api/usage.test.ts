import { plans } from '@earshot/contracts'
import { setTeamPlan } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('usage shows each quota of the plan, its use and its reset', async () => {
  const team = await makeTeam(service.database, { plan: 'pro' })
  await team.join('viewer')
  await team.submit()
  await team.submit()
  const client = service.client(team.token)
  const { plan, quotas } = await client.teams.usage({ team_id: team.id })
  expect(plan).toBe('pro')
  const now = new Date()
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString()
  const { projects, members, webhook_endpoints, ...monthly } = plans.pro.quotas
  const used = { submissions: 2 } as Record<string, number>
  expect(new Map(quotas.map(({ quota, ...rest }) => [quota, rest]))).toEqual(
    new Map<string, object>([
      ...Object.entries(monthly).map(([quota, limit]): [string, object] => [
        quota,
        { limit, used: used[quota] ?? 0, resets_at: nextMonth },
      ]),
      ['projects', { limit: projects, used: 1, resets_at: null }],
      ['members', { limit: members, used: 2, resets_at: null }],
      ['webhook_endpoints', { limit: webhook_endpoints, used: 0, resets_at: null }],
    ]),
  )
})

test('another plan shows on the next request', async () => {
  const team = await makeTeam(service.database, { plan: 'pro' })
  const client = service.client(team.token)
  await setTeamPlan(service.database, { team_id: team.id, plan: 'business' })
  const { plan, quotas } = await client.teams.usage({ team_id: team.id })
  expect([plan, quotas.find(({ quota }) => quota === 'members')?.limit]).toEqual(['business', plans.business.quotas.members])
})
