import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeClient, startOAuthFixture } from '../support/oauth.ts'
import type { Clause, Stage } from './clauses/clause.ts'
import { rfc6749Authorize } from './clauses/rfc6749-authorize.ts'
import { rfc6749Token } from './clauses/rfc6749-token.ts'
import { rfc7009 } from './clauses/rfc7009.ts'
import { rfc7636 } from './clauses/rfc7636.ts'
import { rfc8628 } from './clauses/rfc8628.ts'
import { rfc9700 } from './clauses/rfc9700.ts'

/**
 * Each MUST and MUST NOT of RFC 6749 §§3–6, RFC 7636, RFC 8628, RFC 7009 and RFC 9700 §§2 and 4: proved, or why it is not for
 * an authorization server like this one.
 */
const clauses: readonly Clause[] = [...rfc6749Authorize, ...rfc6749Token, ...rfc7636, ...rfc8628, ...rfc7009, ...rfc9700]

let stage: Stage
beforeAll(async () => {
  const fixture = await startOAuthFixture()
  stage = { fixture, client: await makeClient(fixture), confidential: await makeClient(fixture, { confidential: true }) }
})
afterAll(() => stage.fixture.service.close())

for (const row of clauses) {
  if ('prove' in row) test(`${row.clause}: ${row.says}`, () => row.prove(stage))
}

test('every clause without a test has a reason', () => {
  const others = clauses.filter((row) => 'notHere' in row)
  console.log(`clauses: ${clauses.length - others.length} proved, ${others.length} not for this server`)
  for (const { notHere } of others) expect(notHere).toMatch(/\w+ \w+/)
})
