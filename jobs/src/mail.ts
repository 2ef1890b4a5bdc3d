import { findUnsettledMail, type MailRow, settleMail, toTimestamp } from '@earshot/db'
import { MailFailure, writeMail } from '@earshot/drivers'
import { type Run, type TaskContext, task } from './task.ts'

/**
 * Sends a mail and records its state. Temporary failures throw, so that the queue runs the job again. A process that dies
 * between sending and recording sends the message a second time, under the same Message-ID.
 */
export const mail = task('mail', async ({ mail_id }, context, run) => {
  const row = await findUnsettledMail(context.database, mail_id)
  // An earlier run settled it, or it has expired.
  if (!row) return
  if (row.state === 'dropped')
    return context.log.warn({ mail_id, template: row.template }, 'Dropped a mail: its mailbox had enough of them')
  const state = await send(row, context).catch((error) => recordFailure(row, error, context, run))
  if (state === 'failed') return
  await settleMail(context.database, row.id, { state, error: null })
  if (state === 'kept') context.log.info('A mail is ready to read: npm run admin -- mail list')
})

async function send(row: MailRow, { mailDriver, secretBox, baseUrl }: TaskContext): Promise<'sent' | 'kept'> {
  const { subject, text, unsubscribeUrl } = writeMail(secretBox, baseUrl, row)
  if (text === null) throw new Error('The secret of a queued mail is missing.')
  return mailDriver.deliver({
    id: row.id,
    to: row.recipient,
    subject,
    text,
    unsubscribeUrl,
    createdAt: new Date(toTimestamp(row.created_at)),
  })
}

async function recordFailure(row: MailRow, error: Error, { database, log }: TaskContext, run: Run): Promise<'failed'> {
  const isFinal = run.isLast || (error instanceof MailFailure && error.isFinal)
  const reply = error instanceof MailFailure && error.reply !== null ? ` ${error.reply}` : ''
  await settleMail(database, row.id, { state: isFinal ? 'failed' : 'queued', error: error.message + reply })
  if (!isFinal) throw error
  log.error({ mail_id: row.id, reason: error.message }, 'Could not deliver a mail')
  return 'failed'
}
