import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { freePort } from '../../support/free-port.ts'
import { until } from '../../support/until.ts'
import { installDebian } from '../debian.ts'
import type { OtherBrowser } from './automation.ts'

const PACKAGES = ['webkit2gtk-driver', 'xvfb', 'python3-gi', 'gir1.2-webkit2-4.1', 'fonts-dejavu-core']
const DRIVER = '/usr/bin/WebKitWebDriver'
const DISPLAY_SERVER = '/usr/bin/Xvfb'
const NEEDED = [DRIVER, DISPLAY_SERVER, '/usr/bin/python3', '/usr/lib/python3/dist-packages/gi/__init__.py']
/** In the folder of the machine's architecture. */
const BINDINGS = '/usr/lib/*/girepository-1.0/WebKit2-4.1.typelib'
const BINARY = fileURLToPath(new URL('webkit-browser.py', import.meta.url))
const START_LIMIT_MS = 30_000
/** Where it was, what it is and what it says. */
const CONSOLE = /CONSOLE (?:\S+ )*?(?:ERROR|WARN)\b.*/

const Answer = z.object({ value: z.unknown().optional() })
const Failure = z.object({ error: z.string(), message: z.string() })
const Session = z.object({ sessionId: z.string() })

type Call = (method: string, path: string, body?: object) => Promise<unknown>

/** Starts WebKitGTK, from Debian's packages if there is none, and drives it by WebDriver. Resolves to what is missing otherwise. */
export async function openWebKit(scheme: 'light' | 'dark'): Promise<OtherBrowser | string> {
  const isThere = () => NEEDED.every((path) => existsSync(path)) && globSync(BINDINGS).length > 0
  if (!isThere()) await installDebian(...PACKAGES)
  if (!isThere()) return `WebKitGTK is needed (on Debian: apt install ${PACKAGES.join(' ')})`
  const home = mkdtempSync(join(tmpdir(), 'earshot-webkit-'))
  const children: ChildProcess[] = []
  const close = async () => {
    for (const child of children.toReversed()) {
      const exit = child.exitCode === null && once(child, 'exit')
      child.kill()
      await exit
    }
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const display = await openDisplay(children)
    const port = await freePort()
    const environment = { HOME: home, XDG_CONFIG_HOME: home, DISPLAY: display, LANG: 'C.UTF-8', LIBGL_ALWAYS_SOFTWARE: '1' }
    const driver = spawn(DRIVER, [`--port=${port}`], { env: { ...process.env, ...environment }, stdio: ['ignore', 'ignore', 'pipe'] })
    children.push(driver)
    const takeComplaints = collectComplaints(driver)
    const call = createCall(`http://127.0.0.1:${port}`)
    const answers = () => call('GET', '/status').then(Boolean, () => false)
    await until('WebKit answers', answers, START_LIMIT_MS)
    return { ...(await openSession(call, [home, scheme])), takeComplaints, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A display that nobody sees. */
async function openDisplay(children: ChildProcess[]): Promise<string> {
  const args = ['-displayfd', '1', '-screen', '0', '1400x1100x24', '-nolisten', 'tcp']
  const server = spawn(DISPLAY_SERVER, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  children.push(server)
  let printed = ''
  server.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  await until('the display is open', () => printed.includes('\n'), START_LIMIT_MS)
  return `:${printed.trim()}`
}

/** The browser writes its console to the standard error that it has from the driver. */
function collectComplaints(driver: ChildProcess): () => string[] {
  const complaints: string[] = []
  let rest = ''
  driver.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    complaints.push(...lines.filter((line) => CONSOLE.test(line)))
  })
  return () => complaints.splice(0)
}

function createCall(address: string): Call {
  return async (method, path, body) => {
    const response = await fetch(address + path, { method, ...(body && { body: JSON.stringify(body) }) })
    const { value } = Answer.parse(await response.json())
    const failure = Failure.safeParse(value)
    if (!response.ok && failure.success) throw new Error(`WebKit: ${failure.data.error}: ${failure.data.message}`)
    return value
  }
}

async function openSession(
  call: Call,
  args: readonly string[],
): Promise<Omit<OtherBrowser, 'takeComplaints' | typeof Symbol.asyncDispose>> {
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { binary: BINARY, args } } }
  const path = `/session/${Session.parse(await call('POST', '/session', { capabilities })).sessionId}`
  return {
    name: 'WebKitGTK',
    open: async (url) => void (await call('POST', `${path}/url`, { url })),
    evaluate: async (expression) => {
      const script = `return (async () => JSON.stringify((await (${expression})) ?? null))()`
      return JSON.parse(z.string().parse(await call('POST', `${path}/execute/sync`, { script, args: [] })))
    },
    perform: async (actions) => void (await call('POST', `${path}/actions`, { actions })),
    resize: async (width, height) => void (await call('POST', `${path}/window/rect`, { x: 0, y: 0, width, height })),
    picture: async () => Buffer.from(z.string().parse(await call('GET', `${path}/screenshot`)), 'base64'),
  }
}
