import { isEverywhere, sizes } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { eachAtOnce } from './at-once.ts'
import { callRest, callTrpcWithEach } from './call.ts'
import { operations } from './operations.ts'
import { makePath } from './records.ts'

/** The code of tRPC for the status 400 (JSON-RPC 2.0). */
const BAD_REQUEST = -32600
const CURSORS = [
  '',
  'x',
  'null',
  '0',
  'AAAA',
  `${'A'.repeat(21)}B`,
  `${'A'.repeat(21)}=`,
  '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01',
  'ü',
  ' ',
  '\u3000',
  '\u0000',
  'A'.repeat(513),
  'A'.repeat(8_000),
]

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

for (const named of operations.filter(({ operation }) => operation.queryFields.has('limit'))) {
  const { name, operation } = named

  test(`${name} takes 1 to ${sizes.pageItems} items a page, and only its own cursors`, async () => {
    const path = await makePath(service, team, operation.path)
    const token = operation.access !== 'credential' ? undefined : team.token
    const list = (query: Record<string, string>) => callRest(service, named, { path, token, query: new URLSearchParams(query) })
    for (const limit of ['1', String(sizes.pageItems)]) {
      expect(await list({ limit })).toMatchObject({ status: 200, body: { results: expect.any(Array) } })
    }
    await eachAtOnce(['0', '-1', String(sizes.pageItems + 1), '1.5', '1e1', '0x10', '', ' 5', '99999999999999999999'], async (limit) => {
      const refused = await list({ limit })
      expect(refused, `limit=${limit}`).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: 'limit' }] } })
    })
    await eachAtOnce(CURSORS, async (cursor) => {
      const what = `cursor=${cursor.slice(0, 40)}`
      expect(await list({ cursor }), what).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
    })
    if (!isEverywhere(operation)) return
    const inputs = CURSORS.map((cursor) => ({ ...path, cursor }))
    const refusal = { error: { code: BAD_REQUEST, data: { code: 'invalid_cursor' } } }
    expect(await callTrpcWithEach(service, named, inputs, { token })).toMatchObject(CURSORS.map(() => refusal))
  })
}
