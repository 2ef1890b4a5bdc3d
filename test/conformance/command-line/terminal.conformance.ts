import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { number } from '../../support/event-stream.ts'
import { type OAuthFixture, startOAuthFixture } from '../../support/oauth.ts'
import { type ConfigFolder, deviceProfile, makeConfigFolder } from '../../support/profiles.ts'
import { openChromium } from '../chromium.ts'

const execute = promisify(execFile)
const { PROJECT = '', SCREENS = '' } = process.env
const COLUMNS = 100
const ROWS = 24
const EMAIL = 'grace@example.com'

let fixture: OAuthFixture
let config: ConfigFolder
beforeAll(async () => {
  fixture = await startOAuthFixture()
  config = makeConfigFolder()
  mkdirSync(SCREENS, { recursive: true })
}, 180_000)
afterAll(async () => {
  config?.[Symbol.dispose]()
  await fixture?.service.close()
})

/** A shell in a real terminal, which a person types into. */
async function openTerminal() {
  const socket = `earshot-${process.pid}-${Math.random().toString(36).slice(2)}`
  const tmux = async (...args: string[]) => (await execute('tmux', ['-L', socket, ...args])).stdout
  const environment = {
    ...config.env,
    TERM: 'tmux-256color',
    LANG: 'C.UTF-8',
    PATH: `${PROJECT}/node_modules/.bin:${process.env.PATH}`,
  }
  const settings = Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  await tmux(
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-x',
    String(COLUMNS),
    '-y',
    String(ROWS),
    ...settings,
    "exec env PS1='$ ' bash --norc --noprofile",
  )
  const screen = () => tmux('capture-pane', '-p')
  return {
    screen,
    shows: (text: string | RegExp) => expect.poll(screen, { timeout: 30_000, interval: 100 }).toMatch(text),
    type: (text: string) => tmux('send-keys', '-l', text),
    press: (key: string) => tmux('send-keys', key),
    [Symbol.asyncDispose]: async () => void (await tmux('kill-server')),
  }
}

/** Keeps a picture of what the terminal shows. */
async function keepPicture(name: string, text: string): Promise<void> {
  const chromium = await openChromium()
  if (typeof chromium === 'string') throw new Error(chromium)
  const page = await chromium.newPage({ viewport: { width: 980, height: 300 }, deviceScaleFactor: 2 })
  const style = 'margin:0;padding:16px;background:#16181d;color:#e6e6e6;font:14px/1.35 "DejaVu Sans Mono",monospace'
  const words = text.trimEnd().replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  await page.setContent(`<!doctype html><meta charset="utf-8"><pre style='${style}'>${words}</pre>`)
  await page.locator('pre').screenshot({ path: join(SCREENS, name) })
  await chromium.close()
}

test('a person signs in from a terminal', { timeout: 90_000 }, async () => {
  await fixture.service.database.run('update users set email = $2 where id = $1 returning id', [fixture.person.id, EMAIL])
  await using terminal = await openTerminal()
  await terminal.type(`earshot login ${fixture.service.url}`)
  await terminal.press('Enter')
  await terminal.shows(/Allow access if it shows the code [A-Z]{4}-[A-Z]{4}/)
  const [, address = ''] = /(http\S+user_code=\S+)/.exec(await terminal.screen()) ?? []
  await fixture.browser.open(address)
  await fixture.browser.press('allow')
  await terminal.shows(`Signed in at ${fixture.service.url} as ${EMAIL}`)
  await terminal.type('earshot whoami')
  await terminal.press('Enter')
  await terminal.shows(/oauth2, \d+ scopes/)
  await keepPicture('login.png', await terminal.screen())
})

test('a person moderates in a terminal, and Ctrl-C leaves it as it was', { timeout: 90_000 }, async () => {
  config.write('here', await deviceProfile(fixture))
  const client = fixture.service.client(fixture.team.token)
  const create = (body: string, name: string, title: string) =>
    client.submissions.create({
      ...fixture.team.project,
      body,
      title,
      rating: 5,
      author: { name, title: 'CTO' },
      consent: { granted: true },
    })
  const { id: first } = await create('Great tool, saved us a week each month.', 'Ada Lovelace', 'A week saved')
  const { id: second } = await create('We moved our whole support feedback here in an afternoon.', 'Grace Hopper', 'An afternoon')
  await using terminal = await openTerminal()
  await terminal.type('echo before; earshot moderate')
  await terminal.press('Enter')
  await terminal.shows('An afternoon')
  await keepPicture('moderate.png', await terminal.screen())
  await terminal.type('a')
  await terminal.shows('A week saved')
  await create('Words that come later.', 'Barbara', 'Later')
  await number(fixture.service)
  await terminal.shows('2 pending')
  await terminal.type('r')
  await terminal.type('Not about us')
  await terminal.press('BSpace')
  await terminal.press('Enter')
  await terminal.shows('Words that come later.')
  await terminal.press('C-c')
  await terminal.shows(/before\n(.*\n)*1 approved, 1 rejected, 1 left\./)
  const states = await Promise.all(
    [first, second].map((submission_id) => client.submissions.retrieve({ ...fixture.team.project, submission_id })),
  )
  expect(states.map(({ state, moderation }) => [state, moderation.reason])).toEqual([
    ['rejected', 'Not about u'],
    ['approved', null],
  ])
})

test('Ctrl-C ends a sign-in without a stack', { timeout: 60_000 }, async () => {
  await using terminal = await openTerminal()
  await terminal.type(`earshot login ${fixture.service.url}; echo "ended with $?"`)
  await terminal.press('Enter')
  await terminal.shows('Waiting')
  await terminal.press('C-c')
  await terminal.shows('ended with 130')
  expect(await terminal.screen()).not.toMatch(/^ +at /m)
})
