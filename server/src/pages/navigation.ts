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

/** The words and the icon of each page: a path on a square of 24, with strokes, as on the dashboard. */
const places = {
  [HOME_PATH]: ['Overview', 'M4.5 11 12 4.5l7.5 6.5v8.5h-15zM10 19.5v-5h4v5'],
  [PROFILE_PATH]: ['Profile', 'M15.5 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0zM5 19.5c.7-3.5 3.3-5.5 7-5.5s6.3 2 7 5.5'],
  [NOTIFICATIONS_PATH]: [
    'Notifications',
    'M5.5 6h13A1.5 1.5 0 0 1 20 7.5v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 16.5v-9A1.5 1.5 0 0 1 5.5 6zM4.5 7.5l7.5 5.5 7.5-5.5',
  ],
  [CHANGE_PASSWORD_PATH]: [
    'Password',
    'M7 10.5h10a2 2 0 0 1 2 2V18a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-5.5a2 2 0 0 1 2-2zM8 10.5V8a4 4 0 0 1 8 0v2.5',
  ],
  [SECOND_FACTOR_PATH]: ['Two-factor authentication', 'M12 3.5 5 6v5.5c0 4.5 3 7.5 7 9 4-1.5 7-4.5 7-9V6zM9 12l2.2 2.2L15.3 10'],
  [SESSIONS_PATH]: ['Sessions', 'M5 5h14a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM8.5 20h7M12 16v4'],
  [TOKENS_PATH]: ['Access tokens', 'M12 15.5a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM11 12.5l8-8m-3 3 2.5 2.5M13.5 10l1.5 1.5'],
  [APPLICATIONS_PATH]: ['Applications', 'M4.5 4.5h6v6h-6zM13.5 4.5h6v6h-6zM4.5 13.5h6v6h-6zM13.5 13.5h6v6h-6z'],
} as const
const BACK = 'M14.5 5.5 8 12l6.5 6.5'

/** A page of the account that the navigation leads to. */
export type Place = keyof typeof places

/** The navigation of the account's pages. What follows a form belongs to the page of the form. */
export function navigation(current: Place): Html {
  return html`<nav aria-label="Account">
<ul>
${Object.entries(places).map(([path, [words, icon]]) => html`<li><a href="${path}"${path === current && html` aria-current="page"`}>${iconOf(icon)}${words}</a></li>\n`)}<li class="back"><a href="${START_PATH}">${iconOf(BACK)}Back to the dashboard</a></li>
</ul>
</nav>
`
}

/** Decoration: the text beside it says what it means. */
function iconOf(path: string): Html {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`
}
