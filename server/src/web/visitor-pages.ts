import { ApiError, sizes } from '@earshot/contracts'
import type { FastifyInstance } from 'fastify'
import type { Pipeline } from '../http/pipeline.ts'
import { registerForms } from '../pages/form.ts'
import type { PageOptions } from '../pages/page-request.ts'
import type { BuiltPages } from './built-pages.ts'
import { registerCollection } from './collection-page.ts'
import { registerSurvey } from './survey-page.ts'
import { registerSurveyPreview } from './survey-preview.ts'
import { registerFailurePage } from './visitor-failure.ts'
import { openLocales } from './visitor-language.ts'
import { callPublicOperations } from './visitor-operations.ts'
import { registerTheme } from './visitor-theme.ts'
import { registerWithdraw } from './withdraw-page.ts'

/**
 * Registers the pages of visitors: they work without script and without cookies, under any name that reaches the service, and call the
 * public operations, whose limits and errors are theirs.
 */
export function registerVisitorPages(
  app: FastifyInstance,
  options: Pick<PageOptions, 'database' | 'baseUrl'> & { pages: BuiltPages; pipelines: readonly Pipeline[] },
): void {
  const { pages, pipelines, baseUrl } = options
  const locales = openLocales(pages.sources)
  const pageOptions = { ...options, locales, call: callPublicOperations(pipelines, baseUrl) }
  app.register((scope, _options, done) => {
    // A text in another script takes nine bytes of a form for each character.
    registerForms(scope, sizes.bodyBytes)
    registerFailurePage(scope, { pages, locales, missing: 'missing' })
    registerTheme(scope)
    registerWithdraw(scope, pageOptions)
    registerCollection(scope, pageOptions)
    registerSurvey(scope, pageOptions)
    registerSurveyPreview(scope, pageOptions)
    // A link that was cut off, or has lost its last part. Registered last: an address that is known goes before.
    for (const path of ['/c', '/c/*', '/s', '/s/*'])
      scope.get(path, () => {
        throw new ApiError('not_found')
      })
    done()
  })
}
