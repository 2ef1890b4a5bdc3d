import { attemptErrorCodes } from '@earshot/contracts'
import { expect, test } from 'vitest'
import { toAttemptError } from '../../jobs/src/sending/attempt-error.ts'

const systemError = (code: string) => Object.assign(new Error(`connect ${code} 10.0.0.1:443`), { code })

test.each([
  ['ETIMEDOUT', 'connect_timeout'],
  ['EHOSTUNREACH', 'connection_refused'],
  ['ENETUNREACH', 'connection_refused'],
  ['EPIPE', 'connection_reset'],
  ['EMFILE', 'interrupted'],
  ['EADDRNOTAVAIL', 'interrupted'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls_error'],
  ['EWHATEVER', 'connection_reset'],
])('%s is %s', (systemCode, code) => {
  expect(toAttemptError(systemError(systemCode)).code).toBe(code)
})

test('of several failed addresses a timeout is reported, or else the last failure that is not a local one', () => {
  expect(toAttemptError(new AggregateError([systemError('ECONNREFUSED'), systemError('EADDRNOTAVAIL')])).code).toBe('connection_refused')
  expect(toAttemptError(new AggregateError([systemError('ETIMEDOUT'), systemError('ECONNREFUSED')])).code).toBe('connect_timeout')
  expect(toAttemptError(new AggregateError([systemError('ENETUNREACH'), systemError('ECONNREFUSED')])).code).toBe('connection_refused')
})

test.each([[undefined], [null], ['text'], [new Error('plain')], [new AggregateError([])], [{ code: 'ECONNRESET' }]])(
  'every thrown error has a code of the contract and a sentence (%#)',
  (thrown) => {
    const { code, detail } = toAttemptError(thrown)
    expect(attemptErrorCodes).toContain(code)
    expect(detail).toMatch(/^[A-Z].*\.$/)
  },
)

test('no address of the service is reported', () => {
  for (const code of ['ECONNREFUSED', 'EHOSTUNREACH', 'ETIMEDOUT', 'EWHATEVER']) {
    expect(toAttemptError(systemError(code)).detail).not.toContain('10.0.0.1')
  }
})
