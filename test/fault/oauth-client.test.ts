import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('the operator registers an agent by the document that it publishes, of which nothing is fetched', {
  timeout: GENEROUS_MS,
}, async () => {
  await using remote = await openRemoteDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'earshot-client-'))
  const file = join(directory, 'client.json')
  const clientId = 'https://agent.example/oauth/client-metadata'
  const create = async (document: object, id = clientId) => {
    await writeFile(file, JSON.stringify(document))
    const words = ['oauth-client', 'create', '--client-id', id, '--metadata', file, '--scopes', 'read:projects', '--json']
    return runAdmin(remote.environment, ...words)
  }
  const document = { client_id: clientId, client_name: 'Agent', redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'] }
  await expect(create({ ...document, client_id: 'https://other.example/x' })).rejects.toThrow(
    'The document is that of https://other.example/x.',
  )
  await expect(create({ ...document, redirect_uris: ['http://agent.example/'] })).rejects.toThrow('redirect_uris')
  await expect(create({ ...document, token_endpoint_auth_method: 'private_key_jwt' })).rejects.toThrow('must be none')
  await expect(create({ ...document, client_id: 'https://agent.example/' }, 'https://agent.example/')).rejects.toThrow('with a path')
  expect(JSON.parse(await create(document))).toEqual({
    client_id: clientId,
    name: 'Agent',
    type: 'public',
    redirect_uris: document.redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    scopes: ['read:projects'],
  })
  await expect(create(document)).rejects.toThrow('is registered already')
  await rm(directory, { recursive: true })
})
