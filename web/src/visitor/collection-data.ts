import type { FieldTexts, SendingTexts } from './page-data.ts'

type Messages = typeof import('../locales/en.json')

/** What the service writes into the page of a project for its script. */
export interface CollectionData {
  key: string
  baseUrl: string
  project: string
  collects: { text: boolean; video: boolean; rating: boolean }
  consentText: string
  maxSeconds: number
  language: string
  fields: Record<string, FieldTexts>
  texts: SendingTexts & {
    receipt: Pick<Messages['receipt'], 'copy' | 'copied' | 'video'>
    form: Pick<Messages['form'], 'body' | 'bodyBeside' | 'bodyHint'>
    recorder?: Messages['recorder']
  }
}
