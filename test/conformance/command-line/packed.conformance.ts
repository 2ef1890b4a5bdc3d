import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OAuthFixture, startOAuthFixture } from '../../support/oauth.ts'
import { type ConfigFolder, deviceProfile, makeConfigFolder } from '../../support/profiles.ts'

const { NODES = '', PROJECT = '' } = process.env
/** ROUNDS=100 takes four minutes. */
const ROUNDS = Number(process.env.ROUNDS ?? 20)
const AT_ONCE = 10
const execute = promisify(execFile)
const nodes = new Map(NODES.split(' ').map((pair) => pair.split('=') as [string, string]))

let fixture: OAuthFixture
let config: ConfigFolder
beforeAll(async () => {
  fixture = await startOAuthFixture()
  config = makeConfigFolder()
}, 180_000)
afterAll(async () => {
  config?.[Symbol.dispose]()
  await fixture?.service.close()
})

/** Runs the installed command under a version of Node, as a person's shell does. */
async function earshot(version: string, args: readonly string[], env: Record<string, string> = config.env) {
  const path = `${PROJECT}/node_modules/@earshot/cli/lib/earshot.js`
  const options = { env: { PATH: '/usr/bin:/bin', HOME: PROJECT, ...env }, timeout: 60_000 }
  return execute(nodes.get(version) ?? '', [path, ...args], options).then(
    ({ stdout, stderr }) => ({ exitCode: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ exitCode: code as number, out: String(stdout), err: String(stderr) }),
  )
}

test.for([...nodes.keys()])(
  'under Node %s it helps, calls, shows tables, exports, and names what is wrong',
  { timeout: 60_000 },
  async (version) => {
    const { stdout } = await execute(nodes.get(version) ?? '', ['--version'])
    expect(stdout).toMatch(new RegExp(`^v${version}\\.`))
    config.write('here', await deviceProfile(fixture))
    await fixture.team.submit({ body: `Words under Node ${version}` })
    expect((await earshot(version, ['submissions', 'list', '--help'])).out).toContain('--state <choice>')
    const calls = {
      whoami: await earshot(version, ['whoami']),
      table: await earshot(version, ['submissions', 'list']),
      json: await earshot(version, ['submissions', 'list', '--all', '--json']),
      created: await earshot(version, ['submissions', 'create', '--body', 'Ours', '--author.name', 'Ada', '--output', 'state']),
      exported: await earshot(version, ['export', 'submissions']),
      mistyped: await earshot(version, ['submisions', 'list']),
      refused: await earshot(version, ['teams', 'list'], { EARSHOT_URL: fixture.service.url, EARSHOT_TOKEN: 'svc_wrong' }),
    }
    expect(calls.whoami.out).toContain(fixture.person.email)
    expect(calls.table.out).toContain(`Words under Node ${version}`)
    expect(JSON.parse(calls.json.out).results[0].body).toBe(`Words under Node ${version}`)
    expect(calls.created).toEqual({ exitCode: 0, out: 'pending\n', err: '' })
    expect(JSON.parse(calls.exported.out.split('\n')[0] ?? '')).toMatchObject({ body: expect.any(String) })
    expect([calls.mistyped.exitCode, calls.mistyped.err]).toEqual([2, expect.stringContaining('Did you mean submissions?')])
    expect([calls.refused.exitCode, calls.refused.err]).toEqual([3, expect.not.stringContaining('    at ')])
  },
)

test('the oldest Node that is supported has all that each file imports', async () => {
  const folder = `${PROJECT}/node_modules/@earshot/cli/lib`
  const files = (await readdir(folder)).filter((file) => file.endsWith('.js') && file !== 'earshot.js')
  const imports = files.map((file) => `await import(${JSON.stringify(`${folder}/${file}`)})`).join(';')
  await execute(nodes.get('20') ?? '', ['--input-type=module', '--eval', imports])
  expect(files.length).toBeGreaterThan(10)
})

test(`${AT_ONCE} commands at once renew a token once, in each of ${ROUNDS} rounds, and the sign-in survives`, {
  timeout: 900_000,
}, async () => {
  config.write('here', await deviceProfile(fixture))
  const countUsed = async () => {
    const [row] = await fixture.service.database.run<{ count: number }>(
      'select count(*)::int from refresh_tokens where used_at is not null',
      [],
    )
    return row?.count ?? 0
  }
  const before = await countUsed()
  for (let round = 0; round < ROUNDS; round += 1) {
    const { credential, ...profile } = config.read('here')
    config.write('here', { ...profile, credential: { ...credential, expires_at: '2020-01-01T00:00:00Z' } })
    const ended = await Promise.all(Array.from({ length: AT_ONCE }, () => earshot('24', ['me', 'retrieve', '--output', 'user.email'])))
    expect(ended).toEqual(Array(AT_ONCE).fill({ exitCode: 0, out: `${fixture.person.email}\n`, err: '' }))
  }
  expect(await countUsed()).toBe(before + ROUNDS)
})
