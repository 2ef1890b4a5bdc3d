import type { PageOptions } from '../pages/page-request.ts'
import type { BuiltPages } from './built-pages.ts'
import type { Locales } from './visitor-language.ts'
import type { CallOperation } from './visitor-operations.ts'

/** The dependencies of the pages of visitors. */
export interface VisitorPageOptions extends Pick<PageOptions, 'database' | 'baseUrl'> {
  pages: BuiltPages
  locales: Locales
  call: CallOperation
}
