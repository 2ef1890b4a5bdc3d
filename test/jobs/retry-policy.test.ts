import { attemptErrorCodes } from '@earshot/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRetryAfterSeconds } from '../../jobs/src/sending/retry-after.ts'
import { classifyAttempt, MAX_ATTEMPTS, nextDelayMs } from '../../jobs/src/sending/retry-policy.ts'

const HOUR_MS = 3_600_000
const failed = (attemptNumber: number, changes: object = {}) => ({ attemptNumber, statusCode: 500, retryAfterSeconds: null, ...changes })
const steady = { baseMs: 30_000, random: () => 0.5 }

describe('the outcome', () => {
  test('of every status: 2xx succeeds, 429 500 502 503 504 are retried, all others are final', () => {
    const retried: number[] = []
    for (let statusCode = 200; statusCode < 1000; statusCode += 1) {
      const verdict = classifyAttempt({ statusCode, error: null })
      if (verdict === 'retry') retried.push(statusCode)
      else expect(verdict).toBe(statusCode < 300 ? 'success' : 'final')
    }
    expect(retried).toEqual([429, 500, 502, 503, 504])
  })

  test('of every error: all but blocked_address and redirect are retried, whatever the status', () => {
    for (const code of attemptErrorCodes) {
      const expected = code === 'blocked_address' || code === 'redirect' ? 'final' : 'retry'
      for (const statusCode of [null, 200, 301, 404]) expect(classifyAttempt({ statusCode, error: { code } })).toBe(expected)
    }
  })
})

describe('the delay', () => {
  test('before attempts 2 to 8 is 30 s, 2 min, 8 min, 32 min, 2 h 8, 8 h 32, 34 h 8; there is no ninth', () => {
    const delaysMs = [1, 2, 3, 4, 5, 6, 7].map((attemptNumber) => nextDelayMs(failed(attemptNumber), steady))
    expect(delaysMs).toEqual([30, 120, 480, 1_920, 7_680, 30_720, 122_880].map((seconds) => seconds * 1000))
    expect(nextDelayMs(failed(MAX_ATTEMPTS), steady)).toBeNull()
    expect(nextDelayMs(failed(MAX_ATTEMPTS, { statusCode: 503, retryAfterSeconds: 60 }), steady)).toBeNull()
  })

  test('varies by at most 20 % and scales with its base', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 30_000 }), (attemptNumber, baseMs) => {
        const meanMs = baseMs * 4 ** (attemptNumber - 1)
        const delayMs = nextDelayMs(failed(attemptNumber), { baseMs }) ?? Number.NaN
        expect(delayMs).toBeGreaterThanOrEqual(Math.floor(meanMs * 0.8))
        expect(delayMs).toBeLessThanOrEqual(Math.ceil(meanMs * 1.2))
      }),
    )
  })

  test.each([
    ['a longer Retry-After of a 429 is honoured', { statusCode: 429, retryAfterSeconds: 600 }, 600_000],
    ['a longer Retry-After of a 503 is honoured', { statusCode: 503, retryAfterSeconds: 600 }, 600_000],
    ['a shorter one is not', { statusCode: 503, retryAfterSeconds: 5 }, 30_000],
    ['nor one of another status', { statusCode: 500, retryAfterSeconds: 600 }, 30_000],
    ['nor one without a status', { statusCode: null, retryAfterSeconds: 600 }, 30_000],
    ['48 hours are the most', { statusCode: 429, retryAfterSeconds: 9_999_999_999 }, 48 * HOUR_MS],
  ])('%s', (_rule, changes, delayMs) => {
    expect(nextDelayMs(failed(1, changes), steady)).toBe(delayMs)
  })
})

describe('Retry-After', () => {
  const now = new Date('1994-11-06T08:49:37Z')
  const date = 'Sun, 06 Nov 1994 08:49:37 GMT'

  test.each<[string, number | null]>([
    ['0', 0],
    ['120', 120],
    [' 120 ', 120],
    ['Sun, 06 Nov 1994 08:51:37 GMT', 120],
    ['Sunday, 06-Nov-94 08:51:37 GMT', 120],
    ['Sun Nov  6 08:51:37 1994', 120],
    ['Sun, 06 Nov 1994 08:40:00 GMT', 0],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    ['soon', null],
    ['', null],
    ['99999999999', null],
    ['2026-11-20T09:30:00Z', null],
    ['Sun, 99 Nov 1994 08:49:37 GMT', null],
  ])('"%s" asks for %s seconds', (value, seconds) => {
    expect(readRetryAfterSeconds({ 'retry-after': value }, now)).toBe(seconds)
  })

  test("a date is read against the answer's own Date, not against our clock", () => {
    const headers = { date, 'retry-after': 'Sun, 06 Nov 1994 08:50:37 GMT' }
    expect(readRetryAfterSeconds(headers, new Date('2026-01-01T00:00:00Z'))).toBe(60)
  })

  test('without the header or without a response there is none', () => {
    expect(readRetryAfterSeconds({ date }, now)).toBeNull()
    expect(readRetryAfterSeconds(null, now)).toBeNull()
  })
})
