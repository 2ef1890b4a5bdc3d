import { expect, test } from 'vitest'
import { openRemoteDatabase } from '../support/remote-database.ts'
import { runAdmin } from '../support/run-admin.ts'
import { startService } from '../support/service-process.ts'

const GENEROUS_MS = 120_000
const CALLBACK = 'https://app.example/callback'

test('the operator registers an application beside the running service, sees its secret once, and deletes it', {
  timeout: GENEROUS_MS,
}, async () => {
  await using remote = await openRemoteDatabase()
  const { environment } = remote
  await using service = await startService(environment)
  const admin = async (...words: string[]) => JSON.parse(await runAdmin(environment, 'oauth-client', ...words, '--json'))
  const common = ['--name', 'Dashboard', '--scopes', 'read:profile,read:projects']

  const made = await admin(
    'create',
    ...common,
    '--type',
    'confidential',
    '--redirect-uri',
    CALLBACK,
    '--redirect-uri',
    'http://127.0.0.1/cb',
  )
  expect(made).toEqual({
    client_id: expect.stringMatching(/^oc_[0-9A-Za-z]{24}$/),
    name: 'Dashboard',
    type: 'confidential',
    redirect_uris: [CALLBACK, 'http://127.0.0.1/cb'],
    grant_types: ['authorization_code', 'refresh_token'],
    scopes: ['read:profile', 'read:projects'],
    client_secret: expect.stringMatching(/^svs_[0-9A-Za-z]{46}$/),
  })

  const introspect = () =>
    service.send('POST', '/o/introspect/', { body: { client_id: made.client_id, client_secret: made.client_secret, token: 'x' } })
  expect(await introspect()).toMatchObject({ status: 200, body: { active: false } })

  const device = await admin('create', ...common, '--type', 'public')
  expect(device).toMatchObject({ type: 'public', grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'] })
  expect(device).not.toHaveProperty('client_secret')

  const listed = await admin('list')
  expect(listed.map(({ client_id }: { client_id: string }) => client_id)).toEqual(['earshot-cli', made.client_id, device.client_id])
  expect(JSON.stringify(listed)).not.toContain(made.client_secret)

  await admin('delete', '--client-id', made.client_id)
  expect(await introspect()).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  await expect(admin('delete', '--client-id', made.client_id)).rejects.toMatchObject({
    code: 1,
    stderr: 'User, team or application not found.\n',
  })
  for (const wrong of [
    ['--redirect-uri', 'javascript:alert(1)'],
    ['--scopes', 'write:tokens'],
  ]) {
    await expect(admin('create', ...common, '--type', 'public', ...wrong)).rejects.toMatchObject({ code: 1 })
  }
})
