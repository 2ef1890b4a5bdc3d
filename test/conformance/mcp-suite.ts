import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from '../support/browser.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { freePort } from '../support/free-port.ts'
import { runAdmin } from '../support/run-admin.ts'
import { startService } from '../support/service-process.ts'
import type { SendOptions, TestResponse } from '../support/test-service.ts'
import { account } from './account.ts'
import { run, TOP } from './command.ts'
import { inapplicable } from './mcp-inapplicable.ts'
import { startProxy } from './mcp-proxy.ts'
import { installNpm } from './npm.ts'

const HOME = join(TOP, '.conformance/mcp-conformance')
const PACKAGE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const COMMAND = join(HOME, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const RESULTS = join(HOME, 'results')
const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28']
/** Of those that apply: fewer, and the suite did not run as it should. */
const LEAST_PASSED = 150
const FOLDER = /^(?:authorization-)?server-(?<scenario>.+)-\d{4}-\d\d-\d\dT[\w-]+$/

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED'
  errorMessage?: string
}

/**
 * Runs every scenario of the official suite against a server, in each revision that the server speaks, and those against an authorization
 * server. What does not apply is listed with its reason, and must fail: else it applies. Resolves to the problems, or null.
 */
export async function checkMcpSuite(): Promise<string | null> {
  const missing = await installNpm(HOME, [PACKAGE])
  if (missing !== null) return missing
  rmSync(RESULTS, { recursive: true, force: true })
  const port = await freePort()
  const url = `http://localhost:${port}`
  await using data = makeDataDir()
  await using service = await startService({ EARSHOT_DATA_DIR: data.path, EARSHOT_BASE_URL: url, EARSHOT_LOG_LEVEL: 'warn' })
  const { token } = await data.makeTeam()
  const proxy = await startProxy(port, { url: service.url, token })
  try {
    for (const revision of REVISIONS) {
      const words = ['server', '--url', `${url}/mcp`, '--suite', 'all', '--spec-version', revision]
      await run(process.execPath, [COMMAND, ...words, '-o', join(RESULTS, revision)])
    }
    await authorize(url, data.path)
  } finally {
    proxy.close()
    proxy.closeAllConnections()
  }
  return judge()
}

/** Runs the scenarios of authorization servers; a person allows what they ask for. */
async function authorize(url: string, dataDir: string): Promise<void> {
  const port = String(await freePort())
  const environment = { EARSHOT_DATA_DIR: dataDir }
  await runAdmin(environment, 'user', 'create', '--email', account.email, '--password', account.password)
  const client = ['--name', 'Suite', '--type', 'public', '--redirect-uri', `http://127.0.0.1:${port}/callback`, '--scopes', 'read:teams']
  const { client_id } = JSON.parse(await runAdmin(environment, 'oauth-client', 'create', ...client, '--json'))
  const words = ['authorization', '--url', url, '--client-id', client_id, '--resource', `${url}/mcp`, '-p', port]
  const child = spawn(process.execPath, [COMMAND, ...words, '-o', join(RESULTS, 'authorization')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  try {
    let output = ''
    for await (const text of child.stdout.setEncoding('utf8')) {
      output += text
      const address = /^http\S+\/o\/authorize\/\S+(?=\s)/m.exec(output)?.[0]
      if (address === undefined || !output.includes('Callback server started')) continue
      output = ''
      const browser = openBrowser({ url, send: (...request) => sendForm(url, ...request) })
      await browser.signIn(account.email, account.password)
      await browser.open(address.slice(url.length))
      await fetch((await browser.press('allow')) ?? '')
    }
  } finally {
    child.kill()
    await ended
  }
}

async function sendForm(url: string, method: string, path: string, { headers = {}, body }: SendOptions = {}): Promise<TestResponse> {
  const response = await fetch(url + path, { method, redirect: 'manual', headers, ...(body !== undefined && { body: String(body) }) })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

function judge(): string | null {
  const found = readdirSync(RESULTS).flatMap((part) => readdirSync(join(RESULTS, part)).map((folder) => join(part, folder)))
  const passed = new Set<string>()
  const problems: string[] = []
  const seen = new Set<string>()
  for (const folder of found) {
    const scenario = FOLDER.exec(folder.split('/').at(-1) ?? '')?.groups?.scenario ?? folder
    const checks: Check[] = JSON.parse(readFileSync(join(RESULTS, folder, 'checks.json'), 'utf8'))
    for (const name of [scenario, ...checks.map(({ id }) => id)]) seen.add(name)
    const isExcused = inapplicable.has(scenario)
    for (const { id, status, errorMessage } of checks) {
      if (status === 'FAILURE' && !isExcused && !inapplicable.has(id)) problems.push(`${folder}: ${id} ${errorMessage}`)
      if (status !== 'SUCCESS') continue
      passed.add(`${folder} ${id}`)
      if (inapplicable.has(id)) problems.push(`${folder}: ${id} does apply: it passed`)
    }
    // In each revision by itself: what fails in one may apply in another.
    if (isExcused && !checks.some(({ status }) => status === 'FAILURE'))
      problems.push(`${folder}: ${scenario} does apply: nothing of it fails`)
  }
  for (const name of inapplicable) if (!seen.has(name)) problems.push(`the suite has no ${name}`)
  if (passed.size < LEAST_PASSED) problems.push(`only ${passed.size} checks passed`)
  if (!found.some((folder) => folder.includes('authorization-code-grant'))) problems.push('nobody was authorized')
  console.log(`MCP conformance suite: ${found.length} scenarios, ${passed.size} checks passed, ${inapplicable.size} do not apply`)
  return problems.length === 0 ? null : problems.join('; ')
}
