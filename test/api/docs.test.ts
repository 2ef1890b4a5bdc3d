import { readdirSync } from 'node:fs'
import { ApiError, contracts, errorCodes, errorGuides, errorRow, FieldError, listOperations } from '@earshot/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { guides } from '../../server/src/docs/guides.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const MARKDOWN = 'text/markdown; charset=utf-8'
const DOCS = new URL('../../docs/', import.meta.url)
const BASE_URL = 'http://localhost:8000'
const CODE = /```[\s\S]*?```|`[^`\n]*`/g

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const get = (path: string, headers: Record<string, string> = {}) => service.send('GET', path, { headers })

/** Addresses of links in Markdown, without those in code. */
function linksIn(markdown: string): string[] {
  return Array.from(markdown.replaceAll(CODE, '').matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target)
}

describe('/llms.txt', () => {
  it('has a heading, a summary and lists of links, each of which is served', async () => {
    const answer = await get('/llms.txt')
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.headers.get('content-type')).toBe(MARKDOWN)
    expect(answer.body).toMatch(/^# Earshot\n\n> .+\n/)
    expect(answer.body).toMatch(/\n## Guides\n\n- \[.+\]\(.+\): /)
    const links = linksIn(answer.body)
    expect(links.length).toBeGreaterThan(guides.length)
    for (const link of links) expect((await get(link.replace(BASE_URL, ''))).status, link).toBe(200)
  })
})

describe('/docs/', () => {
  it.each(guides)('$name: is served as Markdown, is known by its tag, and leads only to what is served', async ({ name }) => {
    const answer = await get(`/docs/${name}.md`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(MARKDOWN)
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(answer.body).toMatch(/^# \S/)
    expect((await get(`/docs/${name}.md`, { 'if-none-match': answer.headers.get('etag') ?? '' })).status).toBe(304)
    for (const link of linksIn(answer.body)) {
      const { origin, pathname } = new URL(link, `${BASE_URL}/docs/${name}.md`)
      if (origin === BASE_URL && pathname !== '/accounts/') expect((await get(pathname)).status, link).toBe(200)
    }
  })

  it('serves every guide of the repository, and no decision, source or other file', async () => {
    const files = readdirSync(DOCS).filter((file) => file.endsWith('.md'))
    for (const file of files) expect((await get(`/docs/${file}`)).status, file).toBe(200)
    const others = [
      'adr/0001-own-rest-runtime.md',
      'flow.svg',
      'webhooks',
      '../package.json',
      '..%2fpackage.json',
      '%2e%2e/README.md',
      '.md',
    ]
    for (const path of others) {
      expect((await get(`/docs/${path}`)).status, path).toBe(404)
      expect((await get(`/docs/errors/${path}`)).status, path).toBe(404)
    }
  })
})

/** Fields of any error. */
const COMMON_FIELDS = {
  detail: z.string(),
  code: z.enum(errorCodes),
  request_id: z.string(),
  errors: z.array(FieldError).optional(),
}

describe('/docs/errors/', () => {
  it('lists every code, and each list leads to pages', async () => {
    const answer = await get('/docs/errors/', { accept: 'text/html' })
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
    for (const code of errorCodes) expect(answer.body).toContain(`href="/docs/errors/${code}"`)
    const markdown = await get('/docs/errors/index.md')
    expect(linksIn(markdown.body.replaceAll('`', ''))).toEqual(errorCodes.map((code) => `/docs/errors/${code}.md`))
  })

  it.each(errorCodes)('%s: a page says its status, what to do, an example body and who answers it', async (code) => {
    const { body: markdown, headers } = await get(`/docs/errors/${code}.md`)
    expect(headers.get('content-type')).toBe(MARKDOWN)
    const { status, detail, fields } = errorRow(code)
    expect(markdown).toContain(`# ${code}\n\nStatus ${status}`)
    expect(markdown).toContain(errorGuides[code].action)
    const example = JSON.parse(/```json\n([\s\S]+?)```/.exec(markdown)?.[1] ?? '')
    expect(example).toMatchObject({ ...new ApiError(code).toBody('1'), detail, request_id: expect.any(String) })
    expect(z.strictObject({ ...COMMON_FIELDS, ...fields }).safeParse(example).error).toBeUndefined()

    const page = await get(`/docs/errors/${code}`, { accept: 'text/html,*/*;q=0.8' })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('vary')).toContain('Accept')
    expect(page.body).toContain(`<h1>${code}</h1>`)
    for (const accept of ['*/*', 'text/markdown, text/html;q=0'])
      expect((await get(`/docs/errors/${code}`, { accept })).body).toBe(markdown)
  })

  it('names the operations that answer a code, at their place in the reference', async () => {
    const { body } = await get('/docs/errors/webhook_loop.md')
    const expected = listOperations(contracts).filter(({ operation: { access, method } }) => access === 'public' && method !== 'GET')
    expect(body.match(/^- .+$/gm)).toEqual(expected.map(({ operationId: id }) => `- [\`${id}\`](/api/docs/#/Public/${id})`))
    expect((await get('/docs/errors/internal_error.md')).body).toContain('Every operation.')
  })
})
