import { createHash } from 'node:crypto'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { openProfiles, type Profiles } from '../../cli/src/profiles.ts'
import { changeProfile, refreshed } from '../../cli/src/refresh.ts'
import { type ConfigFolder, makeConfigFolder } from '../support/profiles.ts'

const OLD = { access_token: 'old', refresh_token: 'first', expires_at: '2020-01-01T00:00:00Z' }
const NEW = { access_token: 'new', refresh_token: 'second', expires_at: '2030-01-01T00:00:00Z' }

let config: ConfigFolder
let profiles: Profiles
let place: { profiles: Profiles; name: string; url: string }
beforeEach(() => {
  config = makeConfigFolder()
  config.write('home', { url: 'http://127.0.0.1:2', email: 'ada@example.com', team: 'a team', credential: OLD })
  profiles = openProfiles(config.env)
  place = { profiles, name: 'home', url: 'http://127.0.0.1:2' }
  return () => config[Symbol.dispose]()
})

test('of many callers one exchanges the token, however slow the service is', async () => {
  let count = 0
  const exchange = async () => {
    count += 1
    await delay(300)
    return NEW
  }
  const renewed = await Promise.all(Array.from({ length: 12 }, () => refreshed({ ...place, exchange }, OLD)))
  expect([count, renewed]).toEqual([1, Array(12).fill(NEW)])
  expect(config.read('home')).toMatchObject({ team: 'a team', credential: NEW })
})

test('after a failure of the connection the next caller tries again, and those that wait do so at once', async () => {
  let count = 0
  const exchange = async () => {
    count += 1
    await delay(100)
    if (count === 1) throw new Error('ECONNREFUSED')
    return NEW
  }
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => refreshed({ ...place, exchange }, OLD)))
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect([count, config.read('home').credential]).toEqual([2, NEW])
})

test('what a person changes while the tokens are renewed is kept, and so are the new tokens', async () => {
  const renewing = refreshed({ ...place, exchange: () => delay(200, NEW) }, OLD)
  const changing = changeProfile({ profiles, name: 'home' }, (profile) => ({ ...profile, team: 'another' }))
  expect(await renewing).toEqual(NEW)
  await changing
  expect(config.read('home')).toMatchObject({ team: 'another', credential: NEW })
})

test('a sign-in or sign-out during a renewal wins', async () => {
  const own = { url: 'http://127.0.0.1:2', email: 'ada@example.com', credential: { token: 'svc_own' } }
  const exchange = async () => {
    profiles.write('home', own)
    return NEW
  }
  expect(await refreshed({ ...place, exchange }, OLD)).toEqual({ token: 'svc_own' })
  expect(config.read('home')).toEqual(own)
  config.write('home', { url: 'http://127.0.0.1:2', email: 'ada@example.com', credential: OLD })
  const removing = async () => {
    profiles.remove('home')
    return NEW
  }
  await expect(refreshed({ ...place, exchange: removing }, OLD)).rejects.toThrow(/not signed in/)
  expect(profiles.names()).toEqual([])
})

test.for(['while it is exchanged', 'while another command exchanges it'])(
  'a sign-in at another service %s is not used for this one',
  async (when) => {
    const other = { url: 'http://127.0.0.1:3', email: 'bob@example.com', credential: { ...NEW, access_token: 'SECRET-OF-ANOTHER' } }
    const exchange = async () => {
      profiles.write('home', other)
      return NEW
    }
    if (when === 'while it is exchanged')
      await expect(refreshed({ ...place, exchange }, OLD)).rejects.toThrow(/not signed in at http:\/\/127\.0\.0\.1:2 /)
    else {
      writeFileSync(claimOf(OLD), '')
      const waiting = refreshed({ ...place, exchange: neverCalled }, OLD)
      await exchange()
      await expect(waiting).rejects.toThrow(/not signed in at http:\/\/127\.0\.0\.1:2 /)
    }
    expect(config.read('home')).toEqual(other)
  },
)

test('a holder that ends just when another looks for it is not taken for one that never ends', async () => {
  writeFileSync(claimOf(OLD), '')
  let reads = 0
  const read = (name: string) => {
    const profile = profiles.read(name)
    // The holder releases its claim between two steps of the one that waits.
    if (++reads === 1) rmSync(claimOf(OLD))
    return profile
  }
  expect(await refreshed({ ...place, profiles: { ...profiles, read }, exchange: async () => NEW }, OLD)).toEqual(NEW)
  expect(config.read('home').credential).toEqual(NEW)
})

test('a wait for another command ends with the call', async () => {
  writeFileSync(claimOf(OLD), '')
  const signal = AbortSignal.timeout(200)
  await expect(refreshed({ ...place, signal, exchange: neverCalled }, OLD)).rejects.toThrow('timeout')
  expect(config.read('home').credential).toEqual(OLD)
})

test('a folder that cannot be written is one clear line', async () => {
  const folder = '/dev/null/profiles'
  await expect(refreshed({ ...place, profiles: { ...profiles, folder }, exchange: neverCalled }, OLD)).rejects.toThrow(
    /^cannot write \/dev\/null\/profiles\/\S+: not a directory$/,
  )
})

test('a profile that is removed leaves nothing of itself, and all of one whose name begins the same', () => {
  const left = [`home.${'0'.repeat(32)}.claim`, 'home.json.123']
  const others = [`home.de.${'0'.repeat(32)}.claim`, 'home.de.json', 'home.de.json.123']
  for (const file of [...left, ...others]) writeFileSync(join(profiles.folder, file), '{}')
  profiles.remove('home')
  expect(readdirSync(profiles.folder).sort()).toEqual(others.sort())
})

test('those that wait do not give up a command that still renews', async () => {
  const slow = () => delay(300, undefined).then(() => Promise.reject(new Error('ECONNREFUSED')))
  const first = refreshed({ ...place, exchange: slow, waitMs: 500 }, OLD)
  const others = [1, 2].map(() => refreshed({ ...place, exchange: () => delay(400, NEW), waitMs: 500 }, OLD))
  await expect(first).rejects.toThrow('ECONNREFUSED')
  expect(await Promise.all(others)).toEqual([NEW, NEW])
})

test('a command that was killed while it renewed costs one sign-in, and no second use of the token', async () => {
  const never = refreshed({ ...place, exchange: () => new Promise(() => {}) }, OLD)
  void never.catch(() => {})
  const exchange = async () => {
    throw new Error('The token must not be sent twice.')
  }
  await expect(refreshed({ ...place, exchange, waitMs: 200 }, OLD)).rejects.toThrow(/Sign in again: earshot login/)
  // The next sign-in has another token.
  config.write('home', { url: 'http://127.0.0.1:2', email: 'ada@example.com', credential: NEW })
  const third = { ...NEW, refresh_token: 'third' }
  expect(await refreshed({ ...place, exchange: async () => third }, NEW)).toEqual(third)
  profiles.remove('home')
  expect(profiles.names()).toEqual([])
})

function claimOf({ refresh_token }: typeof OLD): string {
  const hash = createHash('sha256').update(refresh_token).digest('hex').slice(0, 32)
  return join(profiles.folder, `home.${hash}.claim`)
}

async function neverCalled(): Promise<never> {
  throw new Error('The token must not be sent twice.')
}
