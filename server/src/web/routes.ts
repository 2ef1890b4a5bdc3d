import type { FastifyInstance } from 'fastify'
import type { Pipeline } from '../http/pipeline.ts'
import type { PageOptions } from '../pages/page-request.ts'
import { registerAssets } from './assets.ts'
import { openBuiltPages } from './built-pages.ts'
import { registerDashboard } from './dashboard.ts'
import { registerEmbedScript } from './embed-script.ts'
import { registerFavicon } from './favicon.ts'
import { registerVisitorPages } from './visitor-pages.ts'
import { registerWidgetPage } from './widget-page.ts'

export interface WebOptions extends PageOptions {
  /** The folder of the workspace `web`. */
  webFolder: string
  /** Where the store serves videos itself, if it does. */
  mediaOrigin: string | null
  /** The operations that pages read from: as the API does, with its limits and refusals. */
  pipelines: readonly Pipeline[]
}

/** Registers the pages that a build made: the dashboard, and what visitors and websites load. */
export async function registerWeb(app: FastifyInstance, options: WebOptions): Promise<void> {
  const pages = openBuiltPages(options.webFolder)
  await registerAssets(app, pages)
  registerFavicon(app, pages)
  registerDashboard(app, { ...options, pages })
  registerEmbedScript(app, pages)
  registerWidgetPage(app, { ...options, pages })
  registerVisitorPages(app, { ...options, pages })
}
