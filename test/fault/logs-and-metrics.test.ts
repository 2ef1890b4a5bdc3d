import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { login, makeAccount, refresh } from '../support/logins.ts'
import { PASSWORD, type Team } from '../support/people.ts'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { startReceiver } from '../support/receiver.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const EMAIL = 'ada.lovelace@analytical.example'
const WORD = 'Zauberlehrling'
const METRICS_TOKEN = 'metrics-token-of-this-test'

const dataDir = makePreparedDataDir()
let service: ServiceProcess
let team: Team
beforeAll(async () => {
  service = await startService({ EARSHOT_DATA_DIR: dataDir.path, EARSHOT_LOG_LEVEL: 'debug', EARSHOT_METRICS_TOKEN: METRICS_TOKEN })
  team = await dataDir.makeTeam()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await dataDir[Symbol.asyncDispose]()
})

test('/metrics serves this machine, and a proxy only with the token', async () => {
  const own = await service.send('GET', '/metrics')
  expect(own).toMatchObject({ status: 200, body: expect.stringContaining('earshot_http_request_duration_seconds') })
  for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
    const forwarded = (authorization?: string) =>
      service.send('GET', '/metrics', { headers: { [header]: '198.51.100.7', ...(authorization && { authorization }) } })
    expect([header, (await forwarded()).status]).toEqual([header, 401])
    expect([header, (await forwarded('Bearer wrong')).status]).toEqual([header, 401])
    expect([header, (await forwarded(`Bearer ${METRICS_TOKEN}`)).status]).toEqual([header, 200])
  }
})

test('the logs of a whole run hold no token, secret, e-mail address or text of a body', { timeout: 60_000 }, async () => {
  await using receiver = await startReceiver((response) => {
    response.statusCode = receiver.requests.length === 1 ? 500 : 200
    response.end(WORD)
  })
  const secrets = [...(await use(receiver.url)), ...(await useLogin()), EMAIL, WORD, METRICS_TOKEN, 'svc_', 'whsec_', 'rvk_']
  await until('the receiver has a retry', () => receiver.requests.length > 1)
  // Errors of statements under way carry their text and parameters.
  const underWay = Promise.all(Array.from({ length: 20 }, () => submit(service, { body: `${WORD} ${Math.random()}` })))
  process.kill(dataDir.serverPid(), 'SIGKILL')
  await underWay
  await until('the database is back', async () => (await service.send('GET', '/readyz')).status === 200)
  const { output } = await service.stop()
  const serverLog = readFileSync(join(dataDir.path, 'postgresql/server.log'), 'utf8')
  expect(output).toContain('dependency unavailable')
  for (const secret of secrets) {
    expect(linesWith(output, secret)).toEqual([])
    expect(linesWith(serverLog, secret)).toEqual([])
  }
})

/** Sends valid and invalid requests. Returns the secrets in their responses. */
async function use(receiverUrl: string): Promise<string[]> {
  const client = service.client(team.token)
  const made = await client.me.tokens.create({ name: WORD, scopes: ['read:projects'] })
  const webhook = await client.webhooks.create({ team_id: team.id, url: `${receiverUrl}/${WORD}?key=${WORD}`, events: ['*'] })
  const { body: receipt } = await submit(service, { body: WORD })
  await client.submissions.approve({ ...team.project, submission_id: receipt.id })
  await service.send('POST', '/api/public/v1/consent/revoke/', { body: { revoke_token: receipt.revoke_token } })
  const submissions = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
  const fields = { body: WORD, author: { name: WORD, email: EMAIL }, external_id: WORD, consent: { granted: true } }
  const requests: [string, string, { token?: string; body?: unknown; headers?: Record<string, string> }][] = [
    ['POST', submissions, { token: team.token, body: fields }],
    ['POST', submissions, { token: team.token, body: fields }],
    ['POST', submissions, { token: team.token, body: { ...fields, [EMAIL]: WORD } }],
    ['POST', submissions, { token: team.token, body: { ...fields, external_id: undefined, body: `${WORD}\u0000` } }],
    ['GET', `${submissions}?search=${WORD}`, { token: team.token }],
    ['GET', `${submissions}?cursor=${WORD}`, { token: team.token }],
    ['GET', `${submissions}?token=${team.token}`, {}],
    ['GET', `${submissions}${WORD}/`, { token: team.token }],
    ['GET', `/${WORD}/${EMAIL}`, {}],
    ['GET', submissions, { token: `${made.token}x` }],
    ['GET', submissions, { token: team.token, headers: { 'x-request-id': `${EMAIL} ${WORD}` } }],
    ['POST', '/api/public/v1/consent/revoke/', { body: { revoke_token: 'rvk_wrong' } }],
  ]
  for (const [method, path, options] of requests) await service.send(method, path, options)
  return [team.token, made.token, webhook.secret, receipt.revoke_token]
}

/** Logs in, and does with the tokens what one must not; returns the secrets of it. */
async function useLogin(): Promise<string[]> {
  await using database = await dataDir.openDatabase()
  const { email } = await makeAccount({ database })
  const pair = await login(service, email)
  const next = (await refresh(service, pair.refresh)).body as typeof pair
  await refresh(service, pair.refresh)
  await service.send('GET', '/api/v1/me/', { token: `${next.access}x` })
  await service.send('GET', `/api/v1/me/?token=${next.access}`)
  await service.send('POST', '/api/auth/token/refresh/', { body: { refresh: `${next.refresh}\u0000` } })
  await service.send('POST', '/api/auth/token/', { body: { email, password: PASSWORD, [pair.access]: pair.refresh } })
  const sid = String(decodeJwt(next.access).sid)
  return [pair, next].flatMap(({ access, refresh: token }) => [access, token]).concat(PASSWORD, sid, email, 'eyJ')
}

function submit(to: ServiceProcess, fields: { body: string }) {
  const author = { name: WORD, email: EMAIL }
  return to.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, {
    body: { ...fields, author, consent: { granted: true } },
  })
}

function linesWith(text: string, part: string): string[] {
  return text.split('\n').filter((line) => line.includes(part))
}
