import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { registerReference } from '../../server/src/openapi/reference.ts'

const DOCUMENT = { openapi: '3.1.0', info: { title: 'Earshot' } }
const started: { close: () => Promise<unknown> }[] = []

afterEach(async () => {
  await Promise.all(started.splice(0).map((app) => app.close()))
})

async function serve({
  ignoreTrailingSlash = true,
  document = async () => DOCUMENT as object,
} = {}): Promise<(path: string, headers?: Record<string, string>) => Promise<Response>> {
  const app = fastify({ routerOptions: { ignoreTrailingSlash } })
  started.push(app)
  await registerReference(app, { document })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return (path, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers, redirect: 'manual' })
}

describe('/api/schema/', () => {
  it.each([true, false])(
    'is served with and without its slash, without a redirect (the router ignores slashes: %s)',
    async (ignoreTrailingSlash) => {
      const get = await serve({ ignoreTrailingSlash })
      for (const path of ['/api/schema/', '/api/schema', '/api/docs/', '/api/docs', '/api/redoc/', '/api/redoc']) {
        expect((await get(path)).status, path).toBe(200)
      }
    },
  )

  it('is JSON unless YAML is asked for', async () => {
    const get = await serve()
    for (const accept of [
      '*/*',
      'application/json',
      'text/html,*/*;q=0.8',
      'application/json, application/yaml;q=0.5',
      'application/yaml;q=0',
    ]) {
      const answer = await get('/api/schema/', { accept })
      expect(answer.headers.get('content-type'), accept).toMatch(/^application\/json/)
      expect(await answer.json()).toEqual(DOCUMENT)
    }
  })

  it('is YAML by Accept or by ?format=yaml, which wins', async () => {
    const get = await serve()
    for (const accept of [
      'application/yaml',
      'application/x-yaml',
      'text/yaml, */*',
      'application/vnd.oai.openapi',
      'application/json;q=0.5, application/yaml',
    ]) {
      const answer = await get('/api/schema/', { accept })
      expect(answer.headers.get('content-type'), accept).toMatch(/^application\/yaml/)
      expect(answer.headers.get('vary')).toContain('Accept')
      expect(parse(await answer.text())).toEqual(DOCUMENT)
    }
    expect((await get('/api/schema/?format=yaml', { accept: 'application/json' })).headers.get('content-type')).toMatch(
      /^application\/yaml/,
    )
    expect((await get('/api/schema/?format=json', { accept: 'application/yaml' })).headers.get('content-type')).toMatch(
      /^application\/json/,
    )
  })

  it('answers 304 to who has it, each format with a tag of its own', async () => {
    const get = await serve()
    const json = (await get('/api/schema/')).headers.get('etag') ?? ''
    const yaml = (await get('/api/schema/?format=yaml')).headers.get('etag') ?? ''
    expect(json).not.toBe(yaml)
    const again = await get('/api/schema/', { 'if-none-match': json })
    expect(again.status).toBe(304)
    expect(again.headers.get('cache-control')).toBe('no-cache')
    expect((await get('/api/schema/', { 'if-none-match': yaml })).status).toBe(200)
  })

  it('builds the document once per format, when it is first asked for', async () => {
    let built = 0
    const get = await serve({
      document: async () => {
        built += 1
        return DOCUMENT
      },
    })
    expect(built).toBe(0)
    for (const _ of [1, 2, 3]) await get('/api/schema/')
    expect(built).toBe(1)
  })
})

describe.each(['/api/docs/', '/api/redoc/'])('%s', (path) => {
  it('needs nothing from elsewhere: every file that it names is served below it', async () => {
    const get = await serve()
    const html = await (await get(path)).text()
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
    const files = named.filter((address) => !address.startsWith('data:'))
    expect(files.length).toBeGreaterThan(1)
    for (const file of files) {
      expect(file.startsWith(path), file).toBe(true)
      const answer = await get(file)
      expect(answer.status, file).toBe(200)
      expect(answer.headers.get('content-type'), file).toMatch(/^text\/(javascript|css)/)
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0)
      expect((await get(file, { 'if-none-match': answer.headers.get('etag') ?? '' })).status).toBe(304)
    }
  })

  it('forbids the browser to load anything from elsewhere, to run inline scripts and to be framed', async () => {
    const get = await serve()
    const answer = await get(path)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(await answer.text()).not.toMatch(/<script>|style=/)
  })
})
