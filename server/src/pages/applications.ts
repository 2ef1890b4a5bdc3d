import { contracts } from '@earshot/contracts'
import { deleteAuthorization, listAuthorizations } from '@earshot/db'
import type { FastifyInstance } from 'fastify'
import { presentAuthorization } from '../authorizations.ts'
import { compileInput } from '../http/input.ts'
import { formOf } from './form.ts'
import { type Html, html } from './html.ts'
import { sendPage } from './layout.ts'
import { ownPage } from './own-page.ts'
import type { PageOptions } from './page-request.ts'
import { olderLink, readListQuery } from './paging.ts'
import { APPLICATIONS_PATH } from './paths.ts'
import { foldedScopes } from './scope-list.ts'

const readInput = compileInput(contracts.me.authorizations.delete.input, new Set(['authorization_id']))

/** The page that lists authorized applications and revokes them. */
export function registerApplications(scope: FastifyInstance, options: PageOptions): void {
  const { database } = options

  scope.get(
    APPLICATIONS_PATH,
    ownPage(options, async (page) => {
      const { user } = page.session
      const { results, next_cursor } = await listAuthorizations(database, user.id, readListQuery(page), presentAuthorization)
      return sendPage(page.reply, {
        title: 'Authorized applications',
        account: user,
        place: APPLICATIONS_PATH,
        body: html`${
          results.length === 0
            ? html`<p class="soft">You have not authorized any applications. When you allow one to work with your account, such as <code>earshot login</code> or an assistant that connects by MCP, it is listed here, and you can revoke it at any time.</p>
<p><a href="/docs/command-line.md">Sign in with the command line</a> · <a href="/docs/mcp.md">Connect an assistant</a></p>`
            : html`<p>Each authorization is listed separately, for example one for each device. Revoking one stops it at once.</p>`
        }
${results.map(applicationForm)}
${olderLink(APPLICATIONS_PATH, next_cursor)}`,
      })
    }),
  )

  scope.post(
    APPLICATIONS_PATH,
    ownPage(options, async ({ request, reply, session }) => {
      const { authorization_id: id } = readInput(formOf(request))
      await deleteAuthorization(database, session.actor, id)
      return reply.redirect(APPLICATIONS_PATH, 303)
    }),
  )
}

function applicationForm({ id, client: { name }, scopes, created_at, last_used_at }: ReturnType<typeof presentAuthorization>): Html {
  return html`<form method="post" action="${APPLICATIONS_PATH}" class="row">
<p><strong>${name}</strong> <span class="soft">· since ${created_at.slice(0, 10)} · ${last_used_at === null ? 'never used' : html`last used ${last_used_at.slice(0, 10)}`}</span></p>
<input type="hidden" name="authorization_id" value="${id}">
<button class="plain" aria-label="Revoke ${name}">Revoke</button>
${foldedScopes(scopes)}
</form>
`
}
