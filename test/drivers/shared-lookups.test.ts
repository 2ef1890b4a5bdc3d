import { type ResolveName, shareLookups } from '@earshot/drivers'
import { expect, test } from 'vitest'

/** Creates a resolver in which some names hang until they are released. */
function startResolver() {
  const asked: string[] = []
  const silent = new Map<string, PromiseWithResolvers<never>>()
  const resolve: ResolveName = (name) => {
    asked.push(name)
    return silent.get(name)?.promise ?? Promise.resolve([{ address: '8.8.8.8', family: 4 }])
  }
  const shared = shareLookups(resolve)
  return {
    asked,
    silence: (names: string[]) => {
      for (const name of names) silent.set(name, Promise.withResolvers())
    },
    giveUp: (names: string[]) => {
      for (const name of names) silent.get(name)?.reject(new Error('ENOTFOUND'))
    },
    /** The outcome, never a rejection. */
    resolve: (name: string) =>
      shared(name).then(
        () => 'found',
        () => 'failed',
      ),
  }
}

const manyNames = (prefix: string, length: number) => Array.from({ length }, (_, index) => `${prefix}${index}.example.com`)

test('a name that resolved before is looked up at once, however many silent ones wait', async () => {
  const { resolve, silence, asked, giveUp } = startResolver()
  await resolve('known.example.com')
  const silent = manyNames('silent', 50)
  silence(silent)
  const lookups = silent.map(resolve)
  for (let round = 0; round < 3; round += 1) expect(await resolve('known.example.com')).toBe('found')
  expect(asked.filter((name) => name.startsWith('silent'))).toHaveLength(4)

  // New names wait in order, and none is forgotten.
  const fresh = resolve('fresh.example.com')
  giveUp(silent)
  expect(await Promise.all([...lookups, fresh])).toEqual([...silent.map(() => 'failed'), 'found'])
  expect(asked).toHaveLength(4 + 50 + 1)
})

test('a known name that turns silent uses one thread, and then waits among the unknown', async () => {
  const { resolve, silence, asked, giveUp } = startResolver()
  for (const name of ['turning.example.com', 'known.example.com']) await resolve(name)
  silence(['turning.example.com', ...manyNames('silent', 4)])
  const lookup = resolve('turning.example.com')
  const again = resolve('turning.example.com')
  giveUp(['turning.example.com'])
  expect(await Promise.all([lookup, again])).toEqual(['failed', 'failed'])
  expect(asked).toHaveLength(3)

  // All places are taken: it is not asked for before one is free.
  const others = manyNames('silent', 4).map(resolve)
  const later = resolve('turning.example.com')
  await resolve('known.example.com')
  expect(asked.filter((name) => name.startsWith('turning'))).toHaveLength(2)
  giveUp(manyNames('silent', 4))
  expect(await Promise.all([...others, later])).toEqual([...others.map(() => 'failed'), 'failed'])
  expect(asked.filter((name) => name.startsWith('turning'))).toHaveLength(3)
})

test('concurrent lookups of one name share a result, later ones look up again', async () => {
  const { resolve, asked } = startResolver()
  await Promise.all([resolve('one.example.com'), resolve('one.example.com'), resolve('one.example.com')])
  expect(asked).toHaveLength(1)
  await resolve('one.example.com')
  expect(asked).toHaveLength(2)
})
