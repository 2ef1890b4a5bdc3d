import type { FastifyReply } from 'fastify'
import { type Html, html } from './html.ts'
import { sendPage } from './layout.ts'

/** Sends somebody to their mailbox; the same whatever is there. */
export function sendCheckEmail(reply: FastifyReply, { text, status = 200 }: { text: Html; status?: number }): FastifyReply {
  return sendPage(reply, {
    title: 'Look into your mailbox',
    status,
    body: html`<p>${text}</p><p class="soft">Nothing there after some minutes? Look among what your mail program took for spam.</p>`,
  })
}

/** For a link out of a mail that does not work any more. */
export function sendDeadLink(reply: FastifyReply, { text, next }: { text: string; next: Html }): FastifyReply {
  return sendPage(reply, { title: 'This link does not work', status: 401, body: html`<p>${text}</p><p>${next}</p>` })
}
