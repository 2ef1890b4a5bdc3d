/** The dashboard, where people arrive who did not ask for another page. */
export const START_PATH = '/app/'
export const HOME_PATH = '/accounts/'
export const PROFILE_PATH = '/accounts/profile/'
export const NOTIFICATIONS_PATH = '/accounts/notifications/'
export const SIGN_IN_PATH = '/accounts/sign-in/'
export const SIGN_OUT_PATH = '/accounts/sign-out/'
export const SIGN_UP_PATH = '/accounts/sign-up/'
export const PASSWORD_RESET_PATH = '/accounts/password-reset/'
export const CHANGE_PASSWORD_PATH = '/accounts/password/'
export const SECOND_FACTOR_PATH = '/accounts/second-factor/'
export const SESSIONS_PATH = '/accounts/sessions/'
export const APPLICATIONS_PATH = '/accounts/applications/'
export const TOKENS_PATH = '/accounts/tokens/'

/** Returns the path of a page that leads back to `next`. */
export function withNext(path: string, next: string): string {
  return `${path}?${new URLSearchParams({ next })}`
}

/**
 * Returns a path of this service for any input, so that signing in never redirects to another site. A path such as `/.//host`
 * is normalized to `//host`, which a browser takes for another site: so the result is resolved once more, as a browser does.
 */
export function localPath(next: unknown, baseUrl: string): string {
  if (typeof next !== 'string' || !URL.canParse(next, baseUrl)) return START_PATH
  const { href: home } = new URL('/', baseUrl)
  const { pathname, search } = new URL(next, baseUrl)
  const path = pathname + search
  const isOurs = [next, path].every((target) => URL.parse(target, baseUrl)?.href.startsWith(home))
  return isOurs ? path : START_PATH
}
