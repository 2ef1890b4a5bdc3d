import { writeMail } from '@earshot/drivers'
import type { TestService } from './test-service.ts'

const BASE_URL = 'http://localhost:8000'
const LINKED_TOKEN = /\?token=(\S+)/

interface SentMail {
  template: string
  subject: string
  text: string
  /** The token of the link in the text. */
  token: string
}

/** Reads every mail to an address as it will be sent, oldest first; not those that were dropped. */
export async function readMails({ database, secretBox }: TestService, to: string): Promise<SentMail[]> {
  const rows = await database.run<{ template: string; fields: unknown; sealed: Buffer | null }>(
    "select template, fields, sealed from mails where recipient = $1 and state <> 'dropped' order by id",
    [to],
  )
  return rows.map((row) => {
    const { subject, text } = writeMail(secretBox, BASE_URL, row)
    return { template: row.template, subject, text: text ?? '', token: decodeURIComponent(LINKED_TOKEN.exec(text ?? '')?.[1] ?? '') }
  })
}

/** Returns the token of the last mailed link. */
export async function lastToken(service: TestService, to: string): Promise<string> {
  return (await readMails(service, to)).at(-1)?.token ?? ''
}

/** Returns the templates of the mails to an address, oldest first. */
export async function templatesTo(service: TestService, to: string): Promise<string[]> {
  return (await readMails(service, to)).map(({ template }) => template)
}
