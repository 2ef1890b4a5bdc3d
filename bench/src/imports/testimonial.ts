import { randomUUID } from 'node:crypto'

/** A testimonial of the twin, with the values that the service would give it. */
export interface Testimonial {
  team_id: string
  project_id: string
  import_id: string
  id: string
  nowMs: number
  name: string
  email: string
  company: string
  jobTitle: string
  body: string
  rating: number
  collectedAt: string
  externalId: string
}

/** Columns of `submissions`, in the order of `columnsOf`. */
export const COLUMNS =
  'team_id, project_id, id, kind, channel, title, body, rating, author_name, author_email, author_title, author_company, consent_granted, source_collected_at, tags, external_id, metadata, import_id, featured, day, updated_at'
export const EVENT_COLUMNS = 'team_id, id, project_id, type, payload, payload_sha256'

let counter = 0

/** Makes a UUID, version 7: its time, then a counter, which keeps the ids of a millisecond in order. */
export function makeId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0')
  counter = (counter + 1) % 4096
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`
}

/** Returns a line of COPY for the table of submissions. */
export function columnsOf(t: Testimonial): string {
  const now = new Date(t.nowMs).toISOString()
  const author = `${escaped(t.name)}\t${escaped(t.email)}\t${escaped(t.jobTitle)}\t${escaped(t.company)}`
  const own = `${t.team_id}\t${t.project_id}\t${t.id}\ttestimonial\timport\t\\N\t${escaped(t.body)}\t${t.rating}`
  return `${own}\t${author}\tf\t${t.collectedAt}\t{}\t${escaped(t.externalId)}\t{}\t${t.import_id}\tf\t${now.slice(0, 10)}\t${now}\n`
}

/** Returns the text of the submission in its events, as PostgreSQL's `json_build_object` spaces it, without the last brace. */
export function payloadOf(t: Testimonial): string {
  const now = new Date(t.nowMs).toISOString()
  const author = `{"name" : ${quoted(t.name)}, "email" : ${quoted(t.email)}, "title" : ${quoted(t.jobTitle)}, "company" : ${quoted(t.company)}, "avatar_url" : null, "website_url" : null}`
  return (
    `{"id" : "${t.id}", "team_id" : "${t.team_id}", "project_id" : "${t.project_id}", "kind" : "testimonial", "state" : "pending", ` +
    `"channel" : "import", "title" : null, "body" : ${quoted(t.body)}, "rating" : ${t.rating}, "author" : ${author}, ` +
    `"consent" : {"granted" : false, "text" : null, "granted_at" : null, "revoked_at" : null}, ` +
    `"source" : {"provider" : null, "url" : null, "collected_at" : "${t.collectedAt}"}, "language" : null, "tags" : [], ` +
    `"external_id" : ${quoted(t.externalId)}, "metadata" : {}, "video_id" : null, "import_id" : "${t.import_id}", ` +
    `"moderation" : {"by" : null, "at" : null, "reason" : null}, "public" : false, "created_at" : "${now}", "updated_at" : "${now}"`
  )
}

/** Returns the body of an event. */
export function eventBodyOf(t: Testimonial, { id, type, data }: { id: string; type: string; data: string }): string {
  const now = new Date(t.nowMs).toISOString()
  return `{"id" : "${id}", "type" : "${type}", "api_version" : "v1", "created_at" : "${now}", "team_id" : "${t.team_id}", "project_id" : "${t.project_id}", "data" : ${data}}`
}

/** Escapes a value for the text format of COPY. */
export function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character) : text
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const quoted = JSON.stringify
