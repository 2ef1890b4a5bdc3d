import { type MailFields, type MailTemplate, mailBudgets, mailData } from '@earshot/contracts'
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

interface QueueValues extends Budget {
  recipient: string
  template: MailTemplate
  fields: string
  sealed: Buffer | null
  isWanted: boolean
}

const queue = statement<QueueValues, { id: string; goes: boolean }>(
  (p) => sql`
  select id, goes
    from queue_mail(
           ${p.recipient}::text, ${p.template}::text, ${p.fields}::jsonb, ${p.sealed}::bytea,
           ${p.budget}::text, ${p.hourly}::int, ${p.daily}::int, ${p.isWanted}::boolean
         )`,
)

/** Writes a mail and its job in the transaction of what causes it; returns the mail's id. A mailbox that has had enough gets none. */
export async function queueMail<Template extends MailTemplate>(tx: Tx, mail: NewMail<Template>): Promise<string> {
  return onlyOne(await queue(tx, queueValues(mail, true))).id
}

/** Does the same in the same time for a mail that must not go, which is deleted again. Returns whether the mail goes. */
export async function queueMailIf<Template extends MailTemplate>(tx: Tx, isWanted: boolean, mail: NewMail<Template>): Promise<boolean> {
  return onlyOne(await queue(tx, queueValues(mail, isWanted))).goes
}

const queueEach = statement<{ mails: string }, never>(
  // In one order everywhere, because each mail locks the budget of its mailbox.
  (p) => sql`
  select queue_mail(m.recipient, m.template, m.fields, null, m.budget, m.hourly, m.daily, true)
    from jsonb_to_recordset(${p.mails}::jsonb) m (recipient text, template text, fields jsonb, budget text, hourly int, daily int)
   order by lower(m.recipient)`,
)

/** Queues any number of mails that have no secret, in one statement. */
export async function queueMails<Template extends MailTemplate>(
  tx: Tx,
  mails: readonly Omit<NewMail<Template>, 'sealed'>[],
): Promise<void> {
  await queueEach(tx, { mails: JSON.stringify(mails.map((mail) => ({ ...mail, ...budgetOf(mail.template) }))) })
}

/** The mails that share a limit, and how many of them a mailbox gets. */
interface Budget {
  budget: keyof typeof mailBudgets
  hourly: number
  daily: number
}

function budgetOf(template: MailTemplate): Budget {
  const { budget } = mailData[template]
  return { budget, ...mailBudgets[budget] }
}

function queueValues<Template extends MailTemplate>({ fields, ...mail }: NewMail<Template>, isWanted: boolean): QueueValues {
  return { ...mail, ...budgetOf(mail.template), fields: JSON.stringify(fields), isWanted }
}

const findUnsettled = statement<{ id: string }, MailRow>(
  (p) => sql`
  select ${columnsOf(mails)}
    from ${mails}
   where id = ${p.id} and state in ('queued', 'dropped')`,
)

/** Returns a mail that waits to be sent, or was dropped; undefined for one that was sent, given up or deleted. */
export async function findUnsettledMail(tx: Tx, id: string): Promise<MailRow | undefined> {
  return (await findUnsettled(tx, { id }))[0]
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
