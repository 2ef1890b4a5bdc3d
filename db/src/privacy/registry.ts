/**
 * Every column that may hold what a person left, or an address: what it holds, what an export shows of it, and what an erasure
 * does. A test compares this with the catalog of the database.
 */
export interface PersonalColumn {
  holds: string
  /** `record`: as a field of an exported record. `none`: what it says is in another part of the export, or none of the person's. */
  export: 'record' | 'none'
  /**
   * `delete row`: the row goes. `replace`: the row stays and the address in it is replaced. `null`, `empty`: the row stays without
   * the value. `keep`: nothing happens.
   */
  erase: 'delete row' | 'replace' | 'null' | 'empty' | 'keep'
  /** Why it is kept, or is not exported. */
  because?: string
}

const words = (holds: string) => ({ holds, export: 'record', erase: 'delete row' }) as const satisfies PersonalColumn
const notes = (holds: string) => ({ holds, export: 'record', erase: 'replace' }) as const satisfies PersonalColumn
const derived = (holds: string, because: string) =>
  ({ holds, export: 'none', erase: 'delete row', because }) as const satisfies PersonalColumn
const kept = (holds: string, because: string) => ({ holds, export: 'none', erase: 'keep', because }) as const satisfies PersonalColumn

const OWN_ACCOUNT = "the member's own account, which other teams may share"
const SHORT = 'gone within hours or days by itself'
const OF_TEAM = 'written by the team about itself, not by a visitor'

/** The registry, by table and column. The files of a video go with its row: a trigger lets a job delete them. */
export const personalColumns = {
  submissions: {
    title: words('Words of the author'),
    body: words('Words of the author'),
    author_name: words('Name of the author'),
    author_email: words('Address of the author'),
    author_title: words('Job title of the author'),
    author_company: words('Company of the author'),
    author_avatar_url: words('Picture of the author'),
    author_website_url: words('Website of the author'),
    consent_text: words('What the author agreed to'),
    source_provider: words('Site on which it was written'),
    source_url: words('Page on which it was written'),
    external_id: words("The team's id of the record, which may be an address"),
    metadata: words('What the page or the team added'),
    excerpt: words('Words of the author'),
    tags: notes('Tags by the team'),
    moderation_reason: notes('Reason of a moderator'),
  },
  submission_tags: { tag: derived('Tags of a submission', 'deleted and changed with the submission') },
  submission_metadata: {
    key: derived('Metadata of a submission', 'deleted and changed with the submission'),
    value: derived('Metadata of a submission', 'deleted and changed with the submission'),
  },
  tag_totals: { tag: derived('Tags of submissions, counted', 'an unused tag is deleted') },
  tag_changes: { tag: derived('Tags of submissions, to be counted', 'a worker folds it into the totals within a second') },
  image_copies: {
    source_url: derived('Address of a picture of the author', 'exported with the submission; goes with it'),
    bytes: derived('A small copy of a picture of the author', 'its address is exported; goes with the submission'),
  },
  videos: {
    file_name: words('Name of the uploaded file'),
    title: words('Words of the author'),
    body: words('Words of the author'),
    author_name: words('Name of the author'),
    author_email: words('Address of the author'),
    author_title: words('Job title of the author'),
    author_company: words('Company of the author'),
    author_website_url: words('Website of the author'),
    consent_text: words('What the author agreed to'),
    metadata: words('What the page or the team added'),
    error_detail: words('What is wrong with the file'),
  },
  video_captions: {
    label: notes('Name of captions by the team'),
    vtt: notes('What is said in the video'),
  },
  survey_responses: {
    respondent_external_id: words("The team's id of the respondent, which may be an address"),
    respondent_email: words('Address of the respondent'),
    respondent_name: words('Name of the respondent'),
    respondent_properties: words("The team's properties of the respondent"),
    answers: words('Answers of the respondent'),
    hidden: words('What the page added'),
  },
  invitations: { email: words('Address of the invited person') },
  import_rows: {
    author_email: words('Address in a row that failed'),
    row_text: words('The row that failed'),
    column_name: words('Column of the error; a cell if the file has no header'),
    detail: words('Text of the error'),
  },
  import_files: { bytes: derived('An uploaded file', 'the team has it, and its rows are exported') },
  imports: {
    file_name: { holds: 'Name of the file', export: 'none', erase: 'replace', because: OF_TEAM },
    columns: { holds: 'First row of the file', export: 'none', erase: 'null', because: 'a header; cells if the file has none' },
    mapping: { holds: 'First row of the file', export: 'none', erase: 'empty', because: 'a header; cells if the file has none' },
    preview: { holds: 'First rows of the file', export: 'none', erase: 'null', because: 'its rows are exported' },
    error_detail: { holds: 'Text of the error', export: 'none', erase: 'null', because: OF_TEAM },
    file_key: { holds: 'Where the uploaded file lies', export: 'none', erase: 'null', because: 'the file is deleted first' },
  },
  events: { payload: derived('Records as they were at an event', 'the records are exported') },
  webhook_attempts: {
    response_headers: { holds: 'Answer of a receiver', export: 'none', erase: 'null', because: "another system's words" },
    response_body: { holds: 'Answer of a receiver, often the payload', export: 'none', erase: 'null', because: "another system's words" },
    error_detail: { holds: 'Error of an attempt', export: 'none', erase: 'null', because: "another system's words" },
  },
  audit_entries: {
    changes: { holds: 'Values before and after a change', export: 'record', erase: 'empty' },
    ip: kept('Address of a member of the team', 'accountability: who did what from where'),
  },
  mails: {
    recipient: derived('Address of an invited person', 'the invitation is exported'),
    fields: derived('Names in a mail', 'the invitation is exported'),
    error: derived('Answer of a mail server', 'deleted with its mail'),
    sealed: derived('The link of a mail, sealed', 'deleted with its mail'),
  },
  idempotency_keys: {
    result: derived('A response, sealed', 'the records are exported'),
    key: derived('Text by the caller', 'no word of the person'),
    person_macs: derived('HMACs of the addresses in the response', 'deleted with the response'),
  },
  search_segments: { bits: derived('Traces of words', 'no words; built again without the records') },
  privacy_requests: {
    person_mac: kept('HMAC of team and address', 'proof of the erasure, and imports leave the person out'),
    sealed_email: {
      holds: 'The address, sealed, while the job runs',
      export: 'none',
      erase: 'null',
      because: 'the person is known to the caller',
    },
    recipients: kept('Endpoints that got copies, by id', 'the receipt'),
    position: kept('Ids of the rows where the job goes on', 'no words'),
  },
  visitor_fingerprints: { fingerprint: kept('HMAC of words and network address', SHORT) },
  rate_windows: { subject: kept('Network addresses, and hashes of mail addresses', SHORT) },
  abuse_blocks: { address: kept('Network addresses', SHORT) },
  users: {
    email: kept('Address of a member', OWN_ACCOUNT),
    name: kept('Name of a member', OWN_ACCOUNT),
    avatar_url: kept('Picture of a member', OWN_ACCOUNT),
    password_hash: kept('Hash of a password', OWN_ACCOUNT),
  },
  credentials: {
    name: kept('Name of a token', OWN_ACCOUNT),
    ip: kept('Network address of a sign-in', OWN_ACCOUNT),
    user_agent: kept('Browser of a sign-in', OWN_ACCOUNT),
  },
  teams: { name: kept('Name of the team', OF_TEAM), slug: kept('Short name of the team', OF_TEAM) },
  projects: {
    name: kept('Name of the project', OF_TEAM),
    slug: kept('Short name of the project', OF_TEAM),
    website_url: kept('Website of the project', OF_TEAM),
    consent_text: kept('Text of the form', OF_TEAM),
    thank_you_text: kept('Text of the form', OF_TEAM),
    theme_logo_url: kept('Logo of the project', OF_TEAM),
  },
  public_keys: { label: kept('Label of a key', OF_TEAM) },
  surveys: { name: kept('Name of the survey', OF_TEAM) },
  survey_versions: {
    questions: kept('Questions', OF_TEAM),
    translations: kept('Questions', OF_TEAM),
    thank_you_text: kept('Text of the survey', OF_TEAM),
  },
  widgets: { name: kept('Name of the widget', OF_TEAM), filter_tags: kept('Tags that it shows', OF_TEAM) },
  webhook_endpoints: { url: kept('Address of a receiver', OF_TEAM), description: kept('Description of a receiver', OF_TEAM) },
  'graphile_worker._private_jobs': {
    payload: kept('Ids, and the tag that is renamed', 'deleted when the job ends'),
    last_error: kept('Error of a job', 'errors name codes and ids, no values; deleted when the job ends'),
  },
} satisfies Record<string, Record<string, PersonalColumn>>

/** Tables of which a record is exported, or replaced in part. */
export type PersonalTable = keyof typeof personalColumns

/** Returns the columns of a table with which an erasure does this. */
export function columnsErasedBy(table: PersonalTable, erase: PersonalColumn['erase']): string[] {
  const columns: Record<string, PersonalColumn> = personalColumns[table]
  return Object.keys(columns).filter((name) => columns[name]?.erase === erase)
}
