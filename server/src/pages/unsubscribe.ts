import { ApiError } from '@earshot/contracts'
import { chooseNotifications } from '@earshot/db'
import { readUnsubscribeToken } from '@earshot/drivers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { sendDeadLink } from './mailbox.ts'
import { countGuest, type PageOptions } from './page-request.ts'
import { NOTIFICATIONS_PATH } from './paths.ts'

const UNSUBSCRIBE_PATH = '/accounts/unsubscribe/'

/**
 * The page that ends mails of one kind. Mail scanners follow links, so only its form does it, or the request of a mail program
 * (RFC 8058 §3.2), which comes from anywhere and without cookies: the token alone says whose mails end.
 */
export function registerUnsubscribe(scope: FastifyInstance, options: PageOptions): void {
  scope.get(UNSUBSCRIBE_PATH, async (request, reply) => {
    const token = tokenOf(request)
    if (!readUnsubscribeToken(options.services.secretBox, token)) return refuse(request, reply, options)
    return sendPage(reply, {
      title: 'Stop these mails',
      body: html`<p>Do you no longer want mails about this team?</p>
<form method="post" action="${UNSUBSCRIBE_PATH}">
<input type="hidden" name="token" value="${token}">
<div class="actions"><button>Stop these mails</button></div>
</form>`,
    })
  })

  scope.post(UNSUBSCRIBE_PATH, async (request, reply) => {
    const { database, services } = options
    const subscription = readUnsubscribeToken(services.secretBox, tokenOf(request))
    if (!subscription) return refuse(request, reply, options)
    const { kind, team_id, user_id } = subscription
    // Whoever has left the team gets no mails of it.
    await chooseNotifications(database, user_id, team_id, { [kind]: 'off' }).catch((error) => {
      if (!(error instanceof ApiError && error.code === 'not_found')) throw error
    })
    return sendPage(reply, {
      title: 'Stopped',
      body: html`<p class="good">You will not get these mails any more.</p>
<p class="soft">To get them again, choose so on <a href="${NOTIFICATIONS_PATH}">your notifications</a>.</p>`,
    })
  })
}

function tokenOf(request: FastifyRequest): string {
  const { token } = request.query as { token?: unknown }
  return formOf(request).token ?? (typeof token === 'string' ? token : '')
}

/** Only failures count: a mail program sends the requests of many people from one address. */
async function refuse(request: FastifyRequest, reply: FastifyReply, options: PageOptions): Promise<FastifyReply> {
  await countGuest(request, reply, options)
  return sendDeadLink(reply, {
    text: 'Its address is incomplete, or it is from another service.',
    next: html`Open the link in the mail again.`,
  })
}
