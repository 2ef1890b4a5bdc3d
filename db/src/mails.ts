import type { MailFields, MailTemplate } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { columnsOf } from './sql/columns.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { mails } from './tables/mails.ts'

export type MailRow = typeof mails.$inferSelect

/** A mail to be queued. `sealMailSecret` of the drivers seals its secret. */
export interface NewMail<Template extends MailTemplate> {
  recipient: string
  template: Template
  /** Stored in clear: names only, nothing secret. */
  fields: MailFields<Template>
  /** Null for a template without a secret. */
  sealed: Buffer | null
}

const queue = statement<{ recipient: string; template: MailTemplate; fields: string; sealed: Buffer | null }, { id: string }>(
  (p) => sql`
  select queue_mail(${p.recipient}::text, ${p.template}::text, ${p.fields}::jsonb, ${p.sealed}::bytea) as id`,
)

/** Writes a mail and its job in the transaction of what causes it; returns the mail's id. */
export async function queueMail<Template extends MailTemplate>(tx: Tx, { fields, ...mail }: NewMail<Template>): Promise<string> {
  return onlyOne(await queue(tx, { ...mail, fields: JSON.stringify(fields) })).id
}

const queueEach = statement<{ mails: string }, never>(
  (p) => sql`
  select queue_mail(m.recipient, m.template, m.fields, null)
    from jsonb_to_recordset(${p.mails}::jsonb) m (recipient text, template text, fields jsonb)`,
)

/** Queues any number of mails that have no secret, in one statement. */
export async function queueMails<Template extends MailTemplate>(
  tx: Tx,
  mails: readonly Omit<NewMail<Template>, 'sealed'>[],
): Promise<void> {
  await queueEach(tx, { mails: JSON.stringify(mails) })
}

const remove = statement<{ id: string | null }, never>(
  (p) => sql`
  delete from ${mails}
   where id = ${p.id}`,
)

/** Deletes a mail that must not go; its job will find none. Changes nothing for the id null. */
export async function deleteMail(tx: Tx, id: string | null): Promise<void> {
  await remove(tx, { id })
}

const findQueued = statement<{ id: string }, MailRow>(
  (p) => sql`
  select ${columnsOf(mails)}
    from ${mails}
   where id = ${p.id} and state = 'queued'`,
)

/** Returns a mail that waits to be sent; undefined for one that was sent, given up or deleted. */
export async function findQueuedMail(tx: Tx, id: string): Promise<MailRow | undefined> {
  return (await findQueued(tx, { id }))[0]
}

const list = statement<Record<never, never>, MailRow>(sql`
  select ${columnsOf(mails)}
    from ${mails}
   order by id desc
   limit 100`)

/** Lists the newest hundred mails, newest first. */
export async function listMails(tx: Tx): Promise<MailRow[]> {
  return list(tx, {})
}

/** The result of an attempt; `queued` means that it will be attempted again. */
export interface MailOutcome {
  state: MailRow['state']
  /** Why it was not taken. */
  error: string | null
}

// A mail that is settled stays settled: an attempt of a process that was taken for dead may end late.
const settle = statement<MailOutcome & { id: string }, never>(
  (p) => sql`
  update ${mails}
     set state = ${p.state},
         error = ${p.error},
         attempts = attempts + 1,
         sent_at = case when ${p.state} = 'sent' then now() end,
         sealed = case when ${p.state} = 'sent' then null else sealed end
   where id = ${p.id} and state = 'queued'`,
)

/** Records the result of an attempt. */
export async function settleMail(tx: Tx, id: string, outcome: MailOutcome): Promise<void> {
  await settle(tx, { ...outcome, id })
}
