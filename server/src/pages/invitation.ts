import { ApiError } from '@earshot/contracts'
import { acceptInvitation } from '@earshot/db'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { hashToken } from '../auth/token-values.ts'
import { formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { type OwnPage, ownPage } from './own-page.ts'
import type { PageOptions } from './page-request.ts'
import { HOME_PATH, START_PATH } from './paths.ts'

const INVITATION_PATH = '/accounts/invitation/'

/** The page behind the link of an invitation. Without a session it leads through signing in or up, and back. */
export function registerInvitation(scope: FastifyInstance, options: PageOptions): void {
  scope.get(
    INVITATION_PATH,
    ownPage(options, async ({ request, reply, session: { user } }) => {
      const { token } = request.query as { token?: unknown }
      return sendPage(reply, {
        title: 'Join a team',
        account: user,
        body: html`<p>You are signed in as <strong>${user.email}</strong>. If the invitation went to another address, sign out and sign in with that one.</p>
<form method="post" action="${INVITATION_PATH}">
<input type="hidden" name="token" value="${typeof token === 'string' && token}">
<div class="actions"><button>Accept invitation</button></div>
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
          body: html`<p class="good">You joined the team as ${role}.</p><p><a class="button" href="${START_PATH}">Open the dashboard</a></p>`,
        })
      } catch (error) {
        return sendRefusal(page, error)
      }
    }),
  )
}

/** Does not say what is wrong with the link: only the invited person may learn that. */
function sendRefusal({ reply, session: { user } }: OwnPage, error: unknown): FastifyReply {
  if (!(error instanceof ApiError) || !['not_found', 'already_exists', 'quota_exceeded'].includes(error.code)) throw error
  const text =
    error.code === 'not_found'
      ? 'The link was used, revoked or has expired, or the invitation was sent to another address. Ask for a new invitation.'
      : error.message
  return sendPage(reply, {
    title: 'This invitation cannot be accepted',
    status: error.status,
    account: user,
    body: html`<p>${text}</p><p><a href="${HOME_PATH}">Go to your account</a></p>`,
  })
}
