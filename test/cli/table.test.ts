import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { playService } from './fake-service.ts'
import { PLACE, page, SUBMISSION, submission } from './records.ts'

const author = { name: 'AUTHOR', email: null, title: null, company: null, avatar_url: null, website_url: null }
const texts = {
  CJK: '素晴らしい。一週間も節約できました。한국어도 잘 됩니다。'.repeat(3),
  emoji: '👍🏽 👩‍👩‍👧‍👦 🇩🇪 ❤️ 1️⃣ '.repeat(8),
  'right-to-left': 'لقد وفر لنا أسبوعا كاملا من العمل. זה חסך לנו שבוע. '.repeat(3),
  // Of the spacing vowels of Thai and Hindi, every terminal and library has its own width.
  combining: 'e\u0301a\u0323\u0306 นี่ ก็ ที่ มَرْحَبًا '.repeat(6),
  control: 'a\u001b[31mb\u0000c\u0007d\u200fe\r\n\tf '.repeat(6),
  plain: 'Saved us a week. '.repeat(6),
}

async function show(columns: number | undefined, env: Record<string, string> = {}, args = ['submissions', 'list']) {
  await using service = await playService(page(Object.values(texts).map((body) => submission({ body, author }))))
  const { out } = await earshot(args, { url: service.url, env: { ...PLACE, ...env }, ...(columns && { columns }) })
  return out.trimEnd().split('\n')
}

test.for([20, 36, 37, 40, 80, 120, 200, 300])('a table keeps within %i columns', async (columns) => {
  for (const line of await show(columns)) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
})

test('a terminal that is narrower than an id shows what fits', async () => {
  const lines = await show(20)
  expect(lines[0]).toMatch(/^state +\S/)
  expect(lines).toHaveLength(7)
})

test.for([120, 200, 300])('columns are aligned behind text of any script at %i columns', async (columns) => {
  const lines = await show(columns)
  const starts = lines.slice(1).map((line) => stringWidth(line.slice(0, line.indexOf('AUTHOR'))))
  expect(new Set(starts).size).toBe(1)
  expect(starts[0]).toBe(lines[0]?.indexOf('author.name'))
  expect(lines[1]).toContain(SUBMISSION)
})

test('colours depend on the terminal, NO_COLOR, TERM and FORCE_COLOR', async () => {
  const deliveries = ['webhooks', 'deliveries', 'list', 'w']
  const isColoured = async (columns: number | undefined, env: Record<string, string>) => {
    await using service = await playService(page([{ id: 'a', event_type: 'submission.created', state: 'succeeded', attempt_count: 1 }]))
    const { out } = await earshot(deliveries, { url: service.url, env: { ...PLACE, ...env }, ...(columns && { columns }) })
    return out.includes('\u001b[32msucceeded\u001b[39m')
  }
  expect(await isColoured(120, {})).toBe(true)
  expect(await isColoured(undefined, {})).toBe(false)
  expect(await isColoured(120, { NO_COLOR: '1' })).toBe(false)
  expect(await isColoured(120, { NO_COLOR: '' })).toBe(true)
  expect(await isColoured(120, { TERM: 'dumb' })).toBe(false)
  expect(await isColoured(undefined, { FORCE_COLOR: '1' })).toBe(true)
  expect(await isColoured(120, { FORCE_COLOR: '0' })).toBe(false)
  expect(await isColoured(120, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(true)
})
