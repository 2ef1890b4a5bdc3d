import type { FastifyReply } from 'fastify'
import { type Html, html } from './html.ts'
import { sendPage } from './layout.ts'

/** Asks the person to open a mail. The page is the same whether or not a mail was sent. */
export function sendCheckEmail(reply: FastifyReply, { text }: { text: Html }): FastifyReply {
  return sendPage(reply, {
    title: 'Check your e-mail',
    body: html`<p>${text}</p><p class="soft">No e-mail after a few minutes? Check your spam folder.</p>`,
  })
}

/** The page for a link from a mail that no longer works. */
export function sendDeadLink(reply: FastifyReply, { text, next }: { text: string; next: Html }): FastifyReply {
  return sendPage(reply, { title: 'This link does not work', status: 401, body: html`<p>${text}</p><p>${next}</p>` })
}
