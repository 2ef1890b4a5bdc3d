import { type Html, html } from './html.ts'
import {
  APPLICATIONS_PATH,
  CHANGE_PASSWORD_PATH,
  HOME_PATH,
  NOTIFICATIONS_PATH,
  PROFILE_PATH,
  SECOND_FACTOR_PATH,
  SESSIONS_PATH,
  START_PATH,
  TOKENS_PATH,
} from './paths.ts'

const places = {
  [HOME_PATH]: 'Overview',
  [PROFILE_PATH]: 'Profile',
  [NOTIFICATIONS_PATH]: 'Notifications',
  [CHANGE_PASSWORD_PATH]: 'Password',
  [SECOND_FACTOR_PATH]: 'Two-factor authentication',
  [SESSIONS_PATH]: 'Sessions',
  [TOKENS_PATH]: 'Access tokens',
  [APPLICATIONS_PATH]: 'Applications',
}

/** A page of the account that the navigation leads to. */
export type Place = keyof typeof places

/** The navigation of the account's pages. What follows a form belongs to the page of the form. */
export function navigation(current: Place): Html {
  return html`<nav aria-label="Account">
<ul>
${Object.entries(places).map(([path, words]) => html`<li><a href="${path}"${path === current && html` aria-current="page"`}>${words}</a></li>\n`)}<li class="back"><a href="${START_PATH}">Back to the dashboard</a></li>
</ul>
</nav>
`
}
