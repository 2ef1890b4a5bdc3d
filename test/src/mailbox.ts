import { writeMail } from '@earshot/drivers'
import type { TestService } from './test-service.ts'

const BASE_URL = 'http://localhost:8000'

interface Mail {
  template: string
  subject: string
  text: string
}

/** What was queued for an address, oldest first, in the words that would be sent. */
export async function mailsTo({ database, secretBox }: TestService, email: string): Promise<Mail[]> {
  const rows = await database.run<{ template: string; fields: unknown; sealed: Buffer | null }>(
    'select template, fields, sealed from mails where recipient = $1 order by id',
    [email],
  )
  return rows.map((row) => {
    const { subject, text } = writeMail(secretBox, BASE_URL, row)
    return { template: row.template, subject, text: text ?? '' }
  })
}

export async function templatesTo(service: TestService, email: string): Promise<string[]> {
  return (await mailsTo(service, email)).map(({ template }) => template)
}

/** The token of the link in the last mail to an address. */
export async function lastTokenTo(service: TestService, email: string): Promise<string> {
  const mails = await mailsTo(service, email)
  const token = mails.at(-1)?.text.match(/\?token=(\w+)/)?.[1]
  if (token === undefined) throw new Error(`No link was sent to ${email}`)
  return token
}
