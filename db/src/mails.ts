import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { mails } from './tables/mails.ts'

export type MailRow = typeof mails.$inferSelect

/** A mail that is to be queued; `sealMail` of the drivers makes it. */
export interface SealedMail {
  recipient: string
  template: string
  /** JSON: names only, nothing secret. */
  fields: string
  sealed: Buffer | null
}

const { placeholder } = sql

/** The arguments of the SQL function queue_mail in a statement; they go with `mailValues`. */
export const mailParameters = sql`${placeholder('mailRecipient')}::text, ${placeholder('mailTemplate')}::text, ${placeholder('mailFields')}::jsonb, ${placeholder('mailSealed')}::bytea`

export interface MailValues {
  mailRecipient: string
  mailTemplate: string
  mailFields: string
  mailSealed: Buffer | null
}

export function mailValues({ recipient, template, fields, sealed }: SealedMail): MailValues {
  return { mailRecipient: recipient, mailTemplate: template, mailFields: fields, mailSealed: sealed }
}

const queue = statement<MailValues, { id: string }>(sql`
  select queue_mail(${mailParameters}) as id`)

/** Writes a mail and its job in the caller's transaction, and returns the mail's id. */
export async function queueMail(tx: Tx, mail: SealedMail): Promise<string> {
  return onlyOne(await queue(tx, mailValues(mail))).id
}

const findQueued = statement<{ id: string }, MailRow>(sql`
  select *
    from ${mails}
   where id = ${placeholder('id')} and state = 'queued'`)

/** Undefined for a mail that was settled already, or is past its time. */
export async function findQueuedMail(tx: Tx, id: string): Promise<MailRow | undefined> {
  return (await findQueued(tx, { id }))[0]
}

const list = statement<object, MailRow>(sql`
  select *
    from ${mails}
   order by id desc
   limit 100`)

/** The newest first. */
export async function listMails(tx: Tx): Promise<MailRow[]> {
  return list(tx, {})
}

/** What came of an attempt; `queued` is one that will be made again. */
export interface MailOutcome {
  state: MailRow['state']
  /** Why it was not taken. */
  error: string | null
}

// What was settled stays so: an attempt of a process that was taken for dead may end late.
const settle = statement<MailOutcome & { id: string }, never>(sql`
  update ${mails}
     set state = ${placeholder('state')},
         error = ${placeholder('error')},
         attempts = attempts + 1,
         sent_at = case when ${placeholder('state')} = 'sent' then now() end,
         sealed = case when ${placeholder('state')} = 'sent' then null else sealed end
   where id = ${placeholder('id')} and state = 'queued'`)

export async function settleMail(tx: Tx, id: string, outcome: MailOutcome): Promise<void> {
  await settle(tx, { ...outcome, id })
}
