import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { until } from '../../support/until.ts'
import { installDebian } from '../debian.ts'
import type { OtherBrowser } from './automation.ts'

const PLACES = ['/usr/bin/firefox-esr', '/usr/bin/firefox']
const START_LIMIT_MS = 30_000
const LISTENING = /BiDi listening on (ws:\S+)/

const Message = z.object({
  id: z.int().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  message: z.string().optional(),
})
const Evaluated = z.union([
  z.object({ type: z.literal('success'), result: z.object({ value: z.string() }) }),
  z.object({ type: z.literal('exception'), exceptionDetails: z.object({ text: z.string() }) }),
])
const LogEntry = z.object({
  level: z.string(),
  text: z.string().nullable(),
  source: z.object({ context: z.string().optional() }),
})

type Send = (method: string, params: object) => Promise<unknown>

/** Starts Firefox, from Debian's package if there is none, and drives it by WebDriver BiDi. Resolves to what is missing otherwise. */
export async function openFirefox(scheme: 'light' | 'dark'): Promise<OtherBrowser | string> {
  if (!PLACES.some((path) => existsSync(path))) await installDebian('firefox-esr', 'fonts-dejavu-core')
  const path = PLACES.find((place) => existsSync(place))
  if (path === undefined) return 'Firefox is needed (on Debian: apt install firefox-esr)'
  const profile = mkdtempSync(join(tmpdir(), 'earshot-firefox-'))
  writeFileSync(join(profile, 'user.js'), preferences(scheme))
  const args = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile, 'about:blank']
  const child = spawn(path, args, { env: { ...process.env, HOME: profile }, stdio: ['ignore', 'ignore', 'pipe'] })
  const exit = once(child, 'close')
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const close = async () => {
    child.kill()
    await exit
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await until('Firefox listens', () => LISTENING.test(printed), START_LIMIT_MS)
    return await openTab(`${LISTENING.exec(printed)?.[1]}/session`, close)
  } catch (error) {
    await close()
    throw error
  }
}

function preferences(scheme: 'light' | 'dark'): string {
  const values = {
    'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
    'ui.prefersReducedMotion': 1,
    'intl.accept_languages': 'en-US, en',
    'datareporting.policy.dataSubmissionEnabled': false,
    'browser.shell.checkDefaultBrowser': false,
    // Its questions over the page would take the keys.
    'signon.rememberSignons': false,
    'browser.formfill.enable': false,
    'extensions.formautofill.addresses.enabled': false,
  }
  return Object.entries(values)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('')
}

async function openTab(address: string, close: () => Promise<void>): Promise<OtherBrowser> {
  let context = ''
  const complaints: string[] = []
  const send = await connect(address, (method, params) => {
    if (method !== 'log.entryAdded') return
    const { level, text, source } = LogEntry.parse(params)
    if (['error', 'warn'].includes(level) && source.context === context) complaints.push(text ?? level)
  })
  await send('session.new', { capabilities: {} })
  await send('session.subscribe', { events: ['log.entryAdded'] })
  ;({ context } = z.object({ context: z.string() }).parse(await send('browsingContext.create', { type: 'tab' })))
  return {
    name: 'Firefox',
    open: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    evaluate: async (expression) => {
      const text = `(async () => JSON.stringify((await (${expression})) ?? null))()`
      const evaluated = Evaluated.parse(await send('script.evaluate', { expression: text, target: { context }, awaitPromise: true }))
      if (evaluated.type === 'exception') throw new Error(`Firefox: ${evaluated.exceptionDetails.text}`)
      return JSON.parse(evaluated.result.value)
    },
    perform: async (actions) => void (await send('input.performActions', { context, actions })),
    resize: async (width, height) => void (await send('browsingContext.setViewport', { context, viewport: { width, height } })),
    picture: async () => {
      const { data } = z.object({ data: z.string() }).parse(await send('browsingContext.captureScreenshot', { context }))
      return Buffer.from(data, 'base64')
    },
    takeComplaints: () => complaints.splice(0),
    [Symbol.asyncDispose]: close,
  }
}

/** Opens the connection of WebDriver BiDi. Returns how to send a command. */
async function connect(address: string, onEvent: (method: string, params: unknown) => void): Promise<Send> {
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('Firefox refuses the connection')))
  })
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result, message } = Message.parse(JSON.parse(String(data)))
    if (id === undefined) return onEvent(method ?? '', params)
    const asked = waiting.get(id)
    waiting.delete(id)
    if (message === undefined) asked?.resolve(result)
    else asked?.reject(new Error(`Firefox: ${message}`))
  })
  let last = 0
  return (method, params) => {
    last += 1
    socket.send(JSON.stringify({ id: last, method, params }))
    return new Promise((resolve, reject) => waiting.set(last, { resolve, reject }))
  }
}
