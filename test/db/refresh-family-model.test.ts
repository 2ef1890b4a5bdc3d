import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { anyExchange, anyMove, beginFamily, type Exchange, type Family, type Kind, type Move } from './refresh-families.ts'

const RUNS = 120
const LONGEST_MS = 120_000

let store: TestDatabase
beforeAll(async () => {
  store = await openTestDatabase({ poolSize: 12 })
})
afterAll(() => store.close())

const kinds: Kind[] = ['jwt', 'oauth2']

test.each(kinds)(
  'under any sequence of actions each exchange of a refresh token (%s) has the result of the model',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyMove(), { minLength: 1, maxLength: 20 }), async (moves) => {
        const family = await beginFamily(store.database, kind)
        const model = new Model(kind)
        for (const move of moves) {
          if (move.kind === 'exchange') expect(await family.exchange(move)).toBe(model.exchange(move))
          else {
            await family.befall(move)
            model.befall(move)
          }
          expect(await family.holdings()).toEqual(model.holdings())
        }
      }),
      { numRuns: RUNS },
    )
  },
  LONGEST_MS,
)

test.each(kinds)(
  'under concurrent exchanges a family (%s) never has two live tokens, no token is exchanged twice, and ended families stay ended',
  async (kind) => {
    const rounds = (leeway: 0 | 10) =>
      fc.array(fc.array(anyExchange(fc.constant(leeway)), { minLength: 2, maxLength: 10 }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(0 as const, 10 as const).chain(rounds), async (all) => {
        const family = await beginFamily(store.database, kind)
        for (const exchanges of all) await requireOneSuccessor(family, exchanges)
      }),
      { numRuns: RUNS },
    )
  },
  LONGEST_MS,
)

/** A family at rest has at most one live token, so at most one concurrent exchange succeeds. */
async function requireOneSuccessor(family: Family, exchanges: Exchange[]): Promise<void> {
  const before = await family.holdings()
  // Their places mean the tokens that are there now: none of them is one that another gets meanwhile.
  const now = exchanges.map((exchange) => ({ ...exchange, token: exchange.token % before.tokens }))
  const outcomes = await Promise.all(now.map((exchange) => family.exchange(exchange)))
  const after = await family.holdings()
  const count = (outcome: string) => outcomes.filter((one) => one === outcome).length

  expect(count('rotated')).toBeLessThanOrEqual(before.live.length)
  expect(after.tokens).toBe(before.tokens + count('rotated'))
  expect(after.isRevoked).toBe(before.isRevoked || count('reused') > 0)
  expect(after.live).toHaveLength(after.isRevoked ? 0 : 1)
  if (after.isRevoked) expect(after.access).toBe(0)
  if (before.isRevoked) expect(new Set(outcomes)).toEqual(new Set(['unknown']))
  if (now.every(({ leewaySeconds }) => leewaySeconds === 0)) expect(count('raced')).toBe(0)
}

/** A family in memory, by the words of RFC 6749 §6 and RFC 9700 §4.14.2. */
class Model {
  private readonly tokens: { used: 'no' | 'lately' | 'long ago'; expired: boolean; successor: number | null }[] = []
  private readonly kind: Kind
  private isRevoked = false
  private isDisabled = false

  constructor(kind: Kind) {
    this.kind = kind
    this.add()
  }

  exchange({ token: place, leewaySeconds, scopes, isForeign }: Exchange): string {
    const token = this.at(place)
    if (isForeign || this.isRevoked || this.isDisabled) return 'unknown'
    if (token.used === 'no') {
      if (token.expired) return 'expired'
      if (scopes === 'more') return 'invalid_scope'
      token.used = 'lately'
      token.successor = this.add()
      return 'rotated'
    }
    const isRace = leewaySeconds > 0 && token.used === 'lately' && token.successor !== null && this.at(token.successor).used === 'no'
    if (!isRace) this.isRevoked = true
    return isRace ? 'raced' : 'reused'
  }

  befall(move: Exclude<Move, Exchange>): void {
    if (move.kind === 'expire') this.at(move.token).expired = true
    if (move.kind === 'wait') for (const token of this.tokens) if (token.used === 'lately') token.used = 'long ago'
    if (move.kind === 'revoke') this.isRevoked = true
    if (move.kind === 'disable') this.isDisabled = true
    if (move.kind === 'enable') this.isDisabled = false
  }

  holdings() {
    const works = !this.isRevoked && !this.isDisabled
    const live = this.tokens.flatMap(({ used, expired }, place) => (works && used === 'no' && !expired ? [place] : []))
    const access = works && this.kind === 'oauth2' ? this.tokens.length - 1 : 0
    return { isRevoked: this.isRevoked, live, tokens: this.tokens.length, access }
  }

  private at(place: number) {
    const token = this.tokens[place % this.tokens.length]
    if (!token) throw new Error('A family has a token, always')
    return token
  }

  private add(): number {
    return this.tokens.push({ used: 'no', expired: false, successor: null }) - 1
  }
}
