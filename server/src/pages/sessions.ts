import { contracts } from '@earshot/contracts'
import { deleteSession, listSessions } from '@earshot/db'
import type { FastifyInstance } from 'fastify'
import { compileInput } from '../http/input.ts'
import { presentSession } from '../sessions.ts'
import { formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { ownPage } from './own-page.ts'
import type { PageOptions } from './page-request.ts'
import { olderLink, readListQuery } from './paging.ts'
import { SESSIONS_PATH } from './paths.ts'
import { programName } from './program.ts'

const readInput = compileInput(contracts.me.sessions.delete.input, new Set(['session_id']))

/** The page that lists a person's sessions and ends them. */
export function registerSessions(scope: FastifyInstance, options: PageOptions): void {
  const { database } = options

  scope.get(
    SESSIONS_PATH,
    ownPage(options, async (page) => {
      const { user, id: currentId } = page.session
      const { results, next_cursor } = await listSessions(database, user.id, readListQuery(page), (row) => presentSession(row, currentId))
      return sendPage(page.reply, {
        title: 'Sessions',
        account: user,
        place: SESSIONS_PATH,
        body: html`<p>Where you are signed in. End a session that you do not recognize, and change your password.</p>
${results.map(
  (session) => html`<form method="post" action="${SESSIONS_PATH}" class="row">
<p><strong title="${session.user_agent ?? ''}">${programName(session.user_agent)}</strong> <span class="soft">· ${session.ip} · since ${session.created_at.slice(0, 10)}</span></p>
<input type="hidden" name="session_id" value="${session.id}">
${session.is_current ? html`<strong class="tag good">This session</strong>` : html`<button class="plain">End session<span class="sr">: ${programName(session.user_agent)}, ${session.ip}</span></button>`}
</form>`,
)}
${olderLink(SESSIONS_PATH, next_cursor)}`,
      })
    }),
  )

  scope.post(
    SESSIONS_PATH,
    ownPage(options, async ({ request, reply, session }) => {
      const { session_id: id } = readInput(formOf(request))
      await deleteSession(database, session.actor, id)
      return reply.redirect(SESSIONS_PATH, 303)
    }),
  )
}
