import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TOP } from './command.ts'
import { installNpm } from './npm.ts'

const HOME = join(TOP, '.conformance/observatory')
const PACKAGE = '@mdn/mdn-http-observatory'
const VERSION = '1.4.8'
/** Tests of TLS, which the proxy in front of the service handles. */
const OF_TLS = ['strict-transport-security', 'redirection']

/** A page, with a cookie for a person who is signed in. */
export interface ScannedPage {
  path: string
  cookie?: string
}

/** The parts of MDN's HTTP Observatory in use: its retriever and its tests. */
interface Observatory {
  retrieve: (hostname: string, options: object) => Promise<{ responses: { auto: { status: number } | null }; session: { jar: CookieJar } }>
  ALL_TESTS: ((requests: unknown) => { constructor: { name: string }; pass: boolean; result: string })[]
}

interface CookieJar {
  setCookieSync: (cookie: string, url: string) => unknown
}

/** Scans the headers and cookies of pages. Resolves to the problems, or null; `setCookies` are the headers of a sign-in. */
export async function scanPages(url: string, pages: readonly ScannedPage[], setCookies: readonly string[]): Promise<string | null> {
  const observatory = await prepareObservatory()
  if (typeof observatory === 'string') return observatory
  const { hostname, port } = new URL(url)
  const problems: string[] = []
  let tested = 0
  for (const { path, cookie } of pages) {
    const headers = ['Accept: text/html', ...(cookie ? [`Cookie: ${cookie}`] : [])]
    const requests = await observatory.retrieve(hostname, { httpPort: Number(port), httpsPort: 9, path, headers })
    if (requests.responses.auto?.status !== 200) problems.push(`${path} answered ${requests.responses.auto?.status}`)
    // The cookies of the sign-in, read as by a browser that speaks TLS to the proxy.
    for (const setCookie of setCookies) requests.session.jar.setCookieSync(setCookie, `https://${hostname}/`)
    for (const test of observatory.ALL_TESTS) {
      const verdict = test(requests)
      const { name } = verdict.constructor
      if (OF_TLS.includes(name)) continue
      tested += 1
      // A cookie that its jar refused was not tested.
      if (!verdict.pass || verdict.result === 'cookies-not-found') problems.push(`${path} ${name}: ${verdict.result}`)
    }
  }
  console.log(`MDN HTTP Observatory: ${tested} tests over ${pages.length} pages`)
  return problems.length === 0 ? null : problems.join('; ')
}

/** Installs it in a folder of its own, without its scripts, which would download a list that only matters to TLS. */
async function prepareObservatory(): Promise<Observatory | string> {
  const source = join(HOME, 'node_modules', PACKAGE, 'src')
  if (!existsSync(source)) {
    const problem = await installNpm(HOME, [`${PACKAGE}@${VERSION}`])
    if (problem !== null) return problem
    writeFileSync(join(HOME, 'node_modules', PACKAGE, 'conf/hsts-preload.json'), '{}')
  }
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(source, path)).href)
  const [retriever, constants] = await Promise.all([load('retriever/retriever.js'), load('constants.js')])
  // Its own exports; it brings no types.
  return { ...(retriever as Pick<Observatory, 'retrieve'>), ...(constants as Pick<Observatory, 'ALL_TESTS'>) }
}
