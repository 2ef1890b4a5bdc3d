import { randomBytes } from 'node:crypto'
import { createSecretBox } from '@earshot/drivers'
import { expect, test } from 'vitest'

const MASTER_KEY = randomBytes(32)
const box = createSecretBox(MASTER_KEY)

test.each([['whsec_abc='], [''], ['Grüße 👋'], ['x'.repeat(100_000)]])('what was sealed opens again (%#)', (plaintext) => {
  expect(box.open('mail', box.seal('mail', plaintext))).toBe(plaintext)
  expect(box.open('mail', box.seal('mail', plaintext, 'row 1'), 'row 1')).toBe(plaintext)
})

test('another box with the same master key opens it', () => {
  expect(createSecretBox(Buffer.from(MASTER_KEY)).open('mail', box.seal('mail', 'hello'))).toBe('hello')
})

test('the same text never seals to the same bytes, and is not readable in them', () => {
  const sealed = box.seal('mail', 'a secret that is long enough to be found')
  expect(sealed.equals(box.seal('mail', 'a secret that is long enough to be found'))).toBe(false)
  expect(sealed.includes('long enough')).toBe(false)
})

test('another master key is reported with both key ids', () => {
  const other = createSecretBox(randomBytes(32))
  expect(() => other.open('mail', box.seal('mail', 'hello'))).toThrow(
    `sealed with another secret key (id ${box.keyId}, this one is ${other.keyId})`,
  )
})

test('another purpose or context does not open it', () => {
  const sealed = box.seal('mail', 'hello', 'row 1')
  expect(() => box.open('webhook-secret', sealed, 'row 1')).toThrow('altered, or moved')
  expect(() => box.open('mail', sealed, 'row 2')).toThrow('altered, or moved')
  expect(() => box.open('mail', sealed)).toThrow('altered, or moved')
  expect(() => box.open('mailr', box.seal('mail', 'hello', 'row'), 'ow')).toThrow('altered, or moved')
})

test('a single flipped bit anywhere is refused', () => {
  const sealed = box.seal('mail', 'hello')
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const altered = Buffer.from(sealed)
    altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    expect(() => box.open('mail', altered)).toThrow(Error)
  }
})

test('truncated and empty values are refused', () => {
  const sealed = box.seal('mail', 'hello')
  for (let length = 0; length < sealed.length; length += 1) expect(() => box.open('mail', sealed.subarray(0, length))).toThrow(Error)
})

test('a master key of another length is refused', () => {
  expect(() => createSecretBox(randomBytes(31))).toThrow('must be 32 bytes, not 31')
})
