import { durations } from '@earshot/contracts'
import { listMails, type MailRow, toTimestamp } from '@earshot/db'
import { createSecretBox, type SecretBox, writeMail } from '@earshot/drivers'
import type { Command } from 'commander'
import { perform, verb } from './perform.ts'

export function addMailCommands(mail: Command): void {
  verb(mail, 'list', `List the newest hundred mails of the last ${durations.mailDays} days, with the links of those not sent`).action(() =>
    perform(async (database, { baseUrl }, { secretKey }) => {
      const secretBox = createSecretBox(secretKey)
      return (await listMails(database)).map((row) => show(row, secretBox, baseUrl))
    }),
  )
}

function show(row: MailRow, secretBox: SecretBox, baseUrl: string) {
  const { subject, text, error } = read(row, secretBox, baseUrl)
  return { id: row.id, to: row.recipient, subject, state: row.state, created_at: toTimestamp(row.created_at), error, text }
}

/** Reads a mail. One that cannot be read does not hide the others. */
function read(row: MailRow, secretBox: SecretBox, baseUrl: string) {
  try {
    return { ...writeMail(secretBox, baseUrl, row), error: row.error }
  } catch (error) {
    return { subject: null, text: null, error: (error as Error).message }
  }
}
