import { ApiError } from '@earshot/contracts'
import { acceptInvitation } from '@earshot/db'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { hashToken } from '../auth/token-values.ts'
import { formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { type OwnPage, ownPage } from './own-page.ts'
import type { PageOptions } from './page-request.ts'
import { HOME_PATH } from './paths.ts'

const INVITATION_PATH = '/accounts/invitation/'

/** Where the link of an invitation leads. Whoever is not signed in does so, or signs up, and comes back by the same link. */
export function registerInvitation(scope: FastifyInstance, options: PageOptions): void {
  scope.get(
    INVITATION_PATH,
    ownPage(options, async ({ request, reply, session: { user } }) => {
      const { token } = request.query as { token?: unknown }
      return sendPage(reply, {
        title: 'You are invited to a team',
        account: user,
        body: html`<p>You accept as <strong>${user.email}</strong>, the address that was invited. If it was another, sign out, and in with that.</p>
<form method="post" action="${INVITATION_PATH}">
<input type="hidden" name="token" value="${typeof token === 'string' && token}">
<div class="actions"><button>Accept</button></div>
</form>`,
      })
    }),
  )

  scope.post(
    INVITATION_PATH,
    ownPage(options, async (page) => {
      const { token = '' } = formOf(page.request)
      try {
        const { name, role } = await acceptInvitation(options.database, page.session.actor, hashToken(token))
        return sendPage(page.reply, {
          title: `Welcome to ${name}`,
          account: page.session.user,
          body: html`<p class="good">You are on the team, as ${role}.</p><p><a href="${HOME_PATH}">To your account</a></p>`,
        })
      } catch (error) {
        return sendRefusal(page, error)
      }
    }),
  )
}

/** Not which of it: a link tells nobody but whom it is meant for. */
function sendRefusal({ reply, session: { user } }: OwnPage, error: unknown): FastifyReply {
  if (!(error instanceof ApiError) || !['not_found', 'already_exists', 'quota_exceeded'].includes(error.code)) throw error
  const text =
    error.code === 'not_found'
      ? 'It was used or taken back, is too old, or is meant for another address. Ask whoever invited you for another.'
      : error.message
  return sendPage(reply, {
    title: 'This invitation cannot be accepted',
    status: error.status,
    account: user,
    body: html`<p>${text}</p><p><a href="${HOME_PATH}">To your account</a></p>`,
  })
}
