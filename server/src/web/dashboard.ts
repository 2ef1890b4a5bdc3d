import type { FastifyInstance } from 'fastify'
import type { Pipeline } from '../http/pipeline.ts'
import { pageHeaders } from '../pages/layout.ts'
import type { PageOptions } from '../pages/page-request.ts'
import { redirectToSignIn } from '../pages/sign-in.ts'
import { themeOf } from '../pages/theme.ts'
import type { BuiltPages } from './built-pages.ts'
import { compileFirstData } from './dashboard-data.ts'
import { dashboardDocument } from './dashboard-document.ts'

const BASE = '/app'
const DASHBOARD_PATHS = [`${BASE}/`, `${BASE}/*`]

interface DashboardOptions extends PageOptions {
  pages: BuiltPages
  /** Where the store serves videos itself, beside this service. */
  mediaOrigin: string | null
  pipelines: readonly Pipeline[]
}

/**
 * Serves the dashboard: for all of its addresses a document that a script of ours fills. It names the files of its page and has the
 * data that the page would ask for first, so that nothing is asked for one after the other.
 */
export function registerDashboard(app: FastifyInstance, options: DashboardOptions): void {
  const { pages, baseUrl, services, mediaOrigin } = options
  const readFirstData = compileFirstData(options.pipelines, baseUrl)
  // What it has is the person's own: it must not come back after signing out.
  const headers = { ...pageHeaders(), 'content-security-policy': contentSecurityPolicy(mediaOrigin), 'cache-control': 'private, no-store' }

  for (const address of DASHBOARD_PATHS)
    app.get(address, async (request, reply) => {
      if (services.sessions.read(request.headers.cookie) === null) return redirectToSignIn(reply, request.url)
      const path = pathOf(request.url)
      const [assets, data] = await Promise.all([pages.assetsAt(path), readFirstData(request, reply, path)])
      if (data === 'signed_out') return redirectToSignIn(reply, request.url)
      const theme = themeOf(request.headers.cookie)
      return reply.headers(headers).type('text/html; charset=utf-8').send(dashboardDocument({ path, assets, data, baseUrl, theme }))
    })
}

/** The path of a page, below that of the dashboard, as the router reads it. */
function pathOf(url: string): string {
  const [path = ''] = url.slice(BASE.length).split(/[?#]/, 1)
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Scripts and styles of this service alone, and no HTML from strings (Trusted Types). Videos may come from the store. */
function contentSecurityPolicy(mediaOrigin: string | null): string {
  const media = mediaOrigin === null ? '' : ` ${mediaOrigin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data: blob:${media}`,
    `media-src 'self' blob:${media}`,
    "font-src 'self'",
    // The preview of a widget or a form.
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}
