import type { FastifyInstance } from 'fastify'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { ownPage } from './own-page.ts'
import type { PageOptions } from './page-request.ts'
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

/** The account's home page, with links to the other pages. The service's root address redirects to the dashboard. */
export function registerHome(scope: FastifyInstance, options: PageOptions): void {
  scope.get('/', async (_request, reply) => reply.redirect(START_PATH, 303))

  scope.get(
    HOME_PATH,
    ownPage(options, async ({ reply, session: { user } }) =>
      sendPage(reply, {
        title: user.name,
        account: user,
        place: HOME_PATH,
        body: html`<p><a class="button" href="${START_PATH}">Open the dashboard</a></p>
<h2>Your teams</h2>
${user.teams.length === 0 && html`<p class="soft">You are not on a team yet. Invitations go to ${user.email}.</p>`}
${user.teams.length > 0 && html`<ul class="list">${user.teams.map(({ name, role, plan }) => html`<li><bdi>${name}</bdi> <span class="soft">· ${role} · ${plan} plan</span></li>\n`)}</ul>`}
<h2>Your account</h2>
<ul class="list">
<li><a href="${PROFILE_PATH}">Profile</a> <span class="soft">· name, picture, language and time zone</span></li>
<li><a href="${NOTIFICATIONS_PATH}">Notifications</a> <span class="soft">· mails about your teams</span></li>
<li><a href="${CHANGE_PASSWORD_PATH}">Change your password</a></li>
<li><a href="${SECOND_FACTOR_PATH}">Two-factor authentication</a> <span class="soft">· ${user.mfa_enabled_at === null ? 'off' : 'on'}</span></li>
<li><a href="${SESSIONS_PATH}">Sessions</a> <span class="soft">· where you are signed in</span></li>
</ul>
<h2>For programs</h2>
<ul class="list">
<li><a href="${TOKENS_PATH}">Personal access tokens</a></li>
<li><a href="${APPLICATIONS_PATH}">Authorized applications</a></li>
<li><a href="/api/docs/">API reference</a></li>
<li><a href="/llms.txt">Guides for developers and agents</a></li>
</ul>`,
      }),
    ),
  )
}
