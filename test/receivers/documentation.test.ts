import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { attemptErrorCodes, eventDescriptions } from '@earshot/contracts'
import { signWebhook, verifyWebhook } from '@earshot/contracts/webhooks'
import { describe, expect, test } from 'vitest'
import { classifyAttempt, MAX_ATTEMPTS, nextDelayMs } from '../../jobs/src/sending/retry-policy.ts'
import { earshot } from '../cli/command-line.ts'

const DOCS = new URL('../../docs/', import.meta.url)
const TOP = new URL('../../', import.meta.url)
const PAGES = ['README.md', ...readdirSync(DOCS).flatMap((file) => (file.endsWith('.md') ? [`docs/${file}`] : []))]
const howTo = read('docs/webhooks.md')
const reference = read('docs/webhook-reference.md')
const WORDS = { success: 'succeeded', retry: 'retried', final: 'final' }
const BASE_MS = 30_000

describe('docs/webhook-reference.md', () => {
  test('its table of attempts matches the retry policy', () => {
    const rows: string[][] = []
    let sinceMs = 0
    for (let attemptNumber = 1; attemptNumber < MAX_ATTEMPTS; attemptNumber += 1) {
      const failed = { attemptNumber, statusCode: 500, retryAfterSeconds: null }
      const waitMs = nextDelayMs(failed, { baseMs: BASE_MS, random: () => 0.5 }) ?? 0
      expect(nextDelayMs(failed, { baseMs: BASE_MS, random: () => 0 })).toBe(waitMs * 0.8)
      expect(nextDelayMs(failed, { baseMs: BASE_MS, random: () => 1 })).toBe(waitMs * 1.2)
      sinceMs += waitMs
      rows.push([String(attemptNumber + 1), inWords(waitMs), inWords(sinceMs)])
    }
    expect(tableUnder('attempt')).toEqual(rows)
    expect(nextDelayMs({ attemptNumber: MAX_ATTEMPTS, statusCode: 500, retryAfterSeconds: null }, { baseMs: BASE_MS })).toBeNull()
  })

  test('its table of responses matches the retry policy for every status', () => {
    const [succeeded, again, , other] = tableUnder('response')
    expect([succeeded?.[1], again?.[1], other?.[1]]).toEqual([WORDS.success, WORDS.retry, WORDS.final])
    const retried = Array.from(again?.[0]?.matchAll(/\d{3}/g) ?? [], ([status]) => Number(status))
    for (let statusCode = 200; statusCode < 600; statusCode += 1) {
      const expected = retried.includes(statusCode) ? 'retry' : 'final'
      expect([statusCode, classifyAttempt({ statusCode, error: null })]).toEqual([statusCode, statusCode < 300 ? 'success' : expected])
    }
  })

  test('its table of error codes is complete and matches the retry policy', () => {
    const rows = tableUnder('code').map(([code, , follows]) => [code, follows])
    const expected = attemptErrorCodes.map((code) => [`\`${code}\``, WORDS[classifyAttempt({ statusCode: null, error: { code } })]])
    expect(rows).toEqual(expected)
  })

  test('its table of types matches the catalogue', () => {
    expect(tableUnder('type')).toEqual(Object.entries(eventDescriptions).map(([type, meaning]) => [`\`${type}\``, meaning]))
  })

  test('its example of a signature is correct', async () => {
    const [secret = '', timestamp, body = ''] = /```text\n(.*)\n(.*)\n(.*)\n```/.exec(reference)?.slice(1) ?? []
    const signed = await signWebhook({ body, secret, timestampSeconds: Number(timestamp), deliveryId: 'x' })
    expect(reference).toContain(`\`X-Service-Signature\` is \`${signed['X-Service-Signature']}\``)
  })

  test('its example of a body is accepted by verifyWebhook', async () => {
    const body = /```json\n([\s\S]*?)```/.exec(reference)?.[1] ?? ''
    const secret = `whsec_${Buffer.alloc(32).toString('base64')}`
    const headers = await signWebhook({ body, secret, timestampSeconds: Math.floor(Date.now() / 1000), deliveryId: 'x' })
    expect(await verifyWebhook(body, headers, secret)).toMatchObject({ type: 'submission.created' })
  })

  test('its headers are those of a delivery', async () => {
    const secret = `whsec_${Buffer.alloc(32).toString('base64')}`
    const signed = await signWebhook({ body: '', secret, previousSecret: secret, timestampSeconds: 1, deliveryId: 'x' })
    const named = tableUnder('header').flatMap(([names = '']) => Array.from(names.matchAll(/`([\w-]+)`/g), ([, name]) => name))
    expect(named.sort()).toEqual(['X-Service-Event', 'X-Service-Delivery', 'traceparent', ...Object.keys(signed)].sort())
  })
})

describe('docs/webhooks.md', () => {
  test('it shows commands', () => {
    expect(howTo.match(/^npx earshot /gm)?.length).toBeGreaterThan(5)
  })

  test('its code is in the examples', () => {
    const blocks = [...howTo.matchAll(/\]\(\.\.\/(?<file>examples\/[^)]+)\)(?:(?!^\*\*)[\s\S])*?^```\w+\n(?<code>[\s\S]*?)^```/gm)]
    expect(blocks).toHaveLength(7)
    for (const { groups: { file = '', code = '' } = {} } of blocks) {
      expect([file, linesOf(readFileSync(new URL(`../${file}`, DOCS), 'utf8'))]).toEqual([file, expect.stringContaining(linesOf(code))])
    }
  })
})

describe.each(PAGES)('%s', (name) => {
  const page = read(name)

  test('its links lead to a page and a heading', () => {
    const links = Array.from(page.matchAll(/\]\((?!https?:)([^)]+)\)/g), ([, link = '']) => link)
    expect(links.filter((link) => !exists(link, new URL(name, TOP)))).toEqual([])
  })

  test('its commands and flags exist', async () => {
    const commands = Array.from(page.matchAll(/^npx earshot (.+)$/gm), ([, command = '']) => command)
    for (const command of commands) {
      const words = /^[a-z][a-z-]*(?: [a-z][a-z-]*)*/.exec(command)?.[0].split(' ') ?? []
      const { exitCode, out } = await earshot([...words, '--help'])
      expect([command, exitCode]).toEqual([command, 0])
      const known = flagsIn(out)
      const used = Array.from(command.matchAll(/--[a-z][a-z.-]*/g), ([flag]) => flag)
      expect([command, used.filter((flag) => !known.has(flag))]).toEqual([command, []])
    }
  })
})

// Help names `--no-FLAG` once for a flag that it describes: as `--[no-]FLAG`, or by `(--no-… clears it)`.
function flagsIn(help: string): Set<string> {
  const known = new Set<string>()
  for (const entry of help.split(/^(?= +-)/m)) {
    const [, no, flag] = /^ +(?:-[a-z], )?--(\[no-\])?([a-z][a-z.-]*)/.exec(entry) ?? []
    if (flag === undefined) continue
    known.add(`--${flag}`)
    if (no !== undefined || /\(--no-…\s+clears\s+it\)/.test(entry)) known.add(`--no-${flag}`)
  }
  return known
}

function read(name: string): string {
  return readFileSync(new URL(name, TOP), 'utf8')
}

/** Returns whether a relative link leads to a file and, if it names one, to a heading of that file. */
function exists(link: string, from: URL): boolean {
  const target = new URL(link, from)
  const heading = target.hash
  target.hash = ''
  if (!existsSync(target)) return false
  if (heading === '') return true
  const headings = readFileSync(target, 'utf8').matchAll(/^## (.+)$/gm)
  return Array.from(headings, ([, text = '']) => `#${text.toLowerCase().replaceAll(' ', '-')}`).includes(heading)
}

/** Returns the rows of the reference's table whose first column has this heading. */
function tableUnder(heading: string): string[][] {
  const table = new RegExp(`^\\| ${heading} +\\|.*\\n\\|[-| ]+\\n(?<rows>(?:\\|.*\\n)+)`, 'm').exec(reference)?.groups?.rows
  if (table === undefined) throw new Error(`There is no table "${heading}"`)
  const cells = (row: string) => row.split('|').slice(1, -1)
  return table
    .trim()
    .split('\n')
    .map((row) => cells(row).map((cell) => cell.trim()))
}

/** Returns the lines without their indentation. */
function linesOf(code: string): string {
  return code
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
}

/** `2 h 50 min 30 s` */
function inWords(ms: number): string {
  const seconds = ms / 1000
  const parts = [`${Math.floor(seconds / 3600)} h`, `${Math.floor(seconds / 60) % 60} min`, `${seconds % 60} s`]
  return parts.filter((part) => !part.startsWith('0 ')).join(' ')
}
