import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEVICE_CODE } from '@earshot/server'
import { type OAuthFixture, post } from './oauth.ts'

/** The public client of the command line. */
const CLI_CLIENT = { client_id: 'earshot-cli' }

/** A person's configuration folder, with the environment of a shell that knows nothing else. */
export interface ConfigFolder extends Disposable {
  env: Record<string, string>
  pathOf: (profile: string) => string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever is stored, and asserts on it
  read: (profile: string) => any
  write: (profile: string, content: object | string) => void
}

export function makeConfigFolder(): ConfigFolder {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-config-'))
  const profiles = join(folder, 'earshot', 'profiles')
  const pathOf = (profile: string) => join(profiles, `${profile}.json`)
  return {
    env: { XDG_CONFIG_HOME: folder, EARSHOT_TOKEN: '', EARSHOT_URL: '' },
    pathOf,
    read: (profile) => JSON.parse(readFileSync(pathOf(profile), 'utf8')),
    write: (profile, content) => {
      mkdirSync(profiles, { recursive: true, mode: 0o700 })
      writeFileSync(pathOf(profile), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
      writeFileSync(join(folder, 'earshot', 'settings.json'), JSON.stringify({ profile }), { mode: 0o600 })
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Signs the command line in through the page of devices, without its own wait. Returns the profile that it would keep. */
export async function deviceProfile(fixture: OAuthFixture) {
  const { body: device } = await post(fixture, '/o/device-authorization/', CLI_CLIENT)
  await fixture.browser.open(device.verification_uri_complete)
  await fixture.browser.press('allow')
  const { body } = await post(fixture, '/o/token/', { ...CLI_CLIENT, grant_type: DEVICE_CODE, device_code: device.device_code })
  const { access_token, refresh_token, expires_in } = body
  const expires_at = new Date(Date.now() + expires_in * 1_000).toISOString()
  return { url: fixture.service.url, email: fixture.person.email, credential: { access_token, refresh_token, expires_at } }
}
