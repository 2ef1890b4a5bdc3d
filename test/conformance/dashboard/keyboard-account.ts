import { deepEqual, equal } from 'node:assert/strict'
import { codeOf } from '../../support/authenticator.ts'
import { type Fixture, type Flow, PASSWORD } from './fixture.ts'
import { keysOf } from './keys.ts'

const NEW_PASSWORD = 'eight quiet engines hum'
const CLI = 'earshot-cli'

/** Signs in elsewhere. */
async function signInElsewhere({ url, client }: Fixture, password = PASSWORD): Promise<number> {
  const { email } = (await client.me.retrieve()).user
  const body = JSON.stringify({ email, password })
  return (await fetch(`${url}/api/auth/session/`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status
}

export const keyboardAccountFlows: readonly Flow[] = [
  {
    name: 'keys alone: a profile, notifications and sessions',
    run: async (fixture) => {
      const { page, url, client, team } = fixture
      const { go, isAt, press, tabTo, write } = keysOf(page)
      equal(await signInElsewhere(fixture), 200)
      await page.goto(`${url}/accounts/profile/`)
      await press('Tab')
      await isAt('Skip to the content')
      await page.keyboard.press('Enter')
      await press('Tab')
      await isAt('Name')
      await page.keyboard.press('Control+A')
      await page.keyboard.type('Ada King')
      await write('Language', 'german of Austria')
      await go('Save')
      await page.getByText('It must be a BCP 47 language tag').waitFor()
      fixture.expectRefusal(400)
      await isAt('Language')
      await write('Language', 'de-AT')
      await page.keyboard.press('Enter')
      await page.getByText('Your profile is saved.').waitFor()
      const { user } = await client.me.retrieve()
      deepEqual([user.name, user.locale], ['Ada King', 'de-AT'])
      await go('Notifications')
      await page.getByRole('heading', { name: 'Notifications' }).waitFor()
      await tabTo('Low NPS scores')
      await press('End')
      await go(`Save for ${team.name}`)
      await page.getByText(`Your choice for ${team.name} is saved.`).waitFor()
      equal((await client.me.notifications.retrieve()).teams[0]?.low_nps, 'off')
      await go('Sessions')
      await page.getByText('This session').waitFor()
      await go(/^End session: /)
      await page.getByRole('button', { name: /^End session/ }).waitFor({ state: 'detached' })
      equal((await client.me.sessions.list()).results.length, 1)
    },
  },
  {
    name: 'keys alone: a device is connected, and not any more',
    run: async ({ page, url, client, context }) => {
      const { go, isAt } = keysOf(page)
      const form = { client_id: CLI, scope: 'read:profile read:teams' }
      const asked = await (await context.request.post(`${url}/o/device-authorization/`, { form })).json()
      await page.goto(`${url}/o/device/`)
      await isAt('Code shown on your device')
      await page.keyboard.type(asked.user_code)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Allow' }).waitFor()
      await go('Allow')
      await page.getByRole('heading', { name: 'Device connected' }).waitFor()
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
      await context.request.post(`${url}/o/token/`, { form: { grant_type, client_id: CLI, device_code: asked.device_code } })
      equal((await client.me.authorizations.list()).results.length, 1)
      await page.goto(`${url}/accounts/`)
      await go('Applications')
      await page.getByRole('button', { name: /^Revoke/ }).waitFor()
      await go(/scopes$/)
      await page.getByText('read:teams').waitFor()
      await go(/^Revoke/)
      await page.getByText('You have not authorized any applications.').waitFor()
      deepEqual((await client.me.authorizations.list()).results, [])
    },
  },
  {
    name: 'keys alone: a password is changed, a second factor goes on and off, and somebody signs out and in',
    run: async (fixture) => {
      const { page, url, client } = fixture
      const { enter, go, isAt, press, write } = keysOf(page)
      const { email } = (await client.me.retrieve()).user
      const isOn = async () => (await client.me.retrieve()).user.mfa_enabled
      await page.goto(`${url}/accounts/`)
      await go('Password')
      await isAt('Current password')
      await page.keyboard.type(PASSWORD)
      await press('Tab')
      await page.keyboard.type(NEW_PASSWORD)
      await go('Change password')
      await page.getByRole('heading', { name: 'Password changed' }).waitFor()
      equal(await signInElsewhere(fixture, NEW_PASSWORD), 200)
      await go('Two-factor authentication')
      await page.getByRole('button', { name: 'Set up' }).waitFor()
      // A link of the navigation has the same name.
      await enter('Skip to the content')
      await write('Password', NEW_PASSWORD)
      await page.keyboard.press('Enter')
      await isAt('Code from the app')
      const secret = ((await page.locator('p > code').textContent()) ?? '').replaceAll(' ', '')
      await page.keyboard.type(codeOf(secret))
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
      equal(await isOn(), true)
      await go('Two-factor authentication')
      await page.getByRole('button', { name: 'Turn off' }).waitFor()
      await enter('Skip to the content')
      await write('Password', NEW_PASSWORD)
      await write('Code from your app, or a recovery code', codeOf(secret, 1))
      await go('Turn off')
      await page.getByRole('button', { name: 'Set up' }).waitFor()
      equal(await isOn(), false)
      await go('Sign out')
      await isAt('E-mail address')
      await page.keyboard.type(email)
      await write('Password', NEW_PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'Skip to the content' }).waitFor({ state: 'attached' })
    },
  },
]
