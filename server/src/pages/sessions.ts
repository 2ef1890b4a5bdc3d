import { contracts } from '@earshot/contracts'
import { deleteSession, listSessions } from '@earshot/db'
import type { FastifyInstance } from 'fastify'
import { compileInput } from '../input.ts'
import { presentSession } from '../own-sessions.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { ownPage } from './own-page.ts'
import { SESSIONS_PATH } from './paths.ts'
import type { PageOptions } from './visitor.ts'

const SHOWN = 100
const readInput = compileInput(contracts.me.sessions.delete.input, new Set(['session_id']))

/** Where one is signed in, and how to end it there. */
export function registerSessions(scope: FastifyInstance, options: PageOptions): void {
  const { database } = options

  scope.get(
    SESSIONS_PATH,
    ownPage(options, async ({ reply, visitor: { user, sessionId } }) => {
      const { results } = await listSessions(database, user.id, { limit: SHOWN }, (row) => presentSession(row, sessionId))
      return sendPage(reply, {
        title: 'Where you are signed in',
        account: user,
        body: html`${results.map(
          (session) => html`<form method="post" action="${SESSIONS_PATH}" class="row">
<p>${session.user_agent ?? 'A program'} <span class="soft">· from ${session.ip} · since ${session.created_at.slice(0, 10)}</span></p>
<input type="hidden" name="session_id" value="${session.id}">
${session.is_current ? html`<strong class="good">this one</strong>` : html`<button class="plain">Sign out there</button>`}
</form>`,
        )}`,
      })
    }),
  )

  scope.post(
    SESSIONS_PATH,
    ownPage(options, async ({ request, reply, visitor }) => {
      const { session_id: id } = readInput((request.body ?? {}) as Record<string, unknown>) as { session_id: string }
      await deleteSession(database, visitor.actor, id)
      return reply.redirect(SESSIONS_PATH, 303)
    }),
  )
}
