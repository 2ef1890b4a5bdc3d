import { type ImportField, type ImportPreset, importFields } from '@earshot/contracts'

/** A header of another service. Columns are named as `plainName` spells them. */
export interface Header {
  preset: Exclude<ImportPreset, 'earshot'>
  /** Columns that no other file has together. */
  marks: readonly string[]
  fields: ReadonlyMap<string, ImportField>
  /** Of a form, whose other columns are questions: which columns are its own. */
  questions?: { isOwn: (name: string) => boolean }
}

/** Spells a column in lower-case letters and digits alone: spaces, case and punctuation change from version to version. */
export function plainName(column: string): string {
  const plain = column
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
  // Typeform's first column is `#`.
  return plain === '' ? column : plain
}

const TYPEFORM_OWN = [
  '#',
  'responsetype',
  'startdateutc',
  'stagedateutc',
  'submitdateutc',
  'networkid',
  'tags',
  'ending',
  'score',
  'winningoutcome',
]

const DELIGHTED_FIELDS: [string, ImportField][] = [
  ['surveyresponseid', 'external_id'],
  ['responseid', 'external_id'],
  ['id', 'external_id'],
  ['name', 'author.name'],
  ['personname', 'author.name'],
  ['email', 'author.email'],
  ['personemail', 'author.email'],
  ['comment', 'body'],
  // Shows the whole response, with its person.
  ['permalink', 'metadata.permalink'],
  ['respondedat', 'source.collected_at'],
  ['responsetime', 'source.collected_at'],
  ['createdat', 'source.collected_at'],
  ['tags', 'tags'],
  ['language', 'language'],
  ['locale', 'language'],
  // 0 to 10, by how likely somebody recommends: no stars.
  ['score', 'metadata.score'],
  ['surveytype', 'metadata.survey_type'],
]

/**
 * Verified in public code: Senja, Trustpilot, Typeform, and of Google the names in its Takeout, which is JSON and reaches us
 * converted. Those of Testimonial.to and Delighted are the names of their forms and interfaces.
 */
export const HEADERS: readonly Header[] = [
  {
    preset: 'senja',
    marks: ['customername', 'customertagline', 'text'],
    fields: new Map<string, ImportField>([
      ['customername', 'author.name'],
      ['customeremail', 'author.email'],
      ['customercompany', 'author.company'],
      ['customertagline', 'author.title'],
      ['customeravatar', 'author.avatar_url'],
      ['customerurl', 'author.website_url'],
      ['title', 'title'],
      ['text', 'body'],
      ['rating', 'rating'],
      ['date', 'source.collected_at'],
      ['tags', 'tags'],
      ['url', 'source.url'],
      ['lang', 'language'],
      ['integration', 'source.provider'],
      // Of the network that a text comes from, so not unique: an external id may make rows be skipped.
      ['platformid', 'metadata.platform_id'],
    ]),
  },
  {
    preset: 'trustpilot',
    marks: ['reviewid', 'reviewcontent', 'reviewstars'],
    fields: new Map<string, ImportField>([
      ['reviewid', 'external_id'],
      ['reviewcreatedutc', 'source.collected_at'],
      ['reviewusername', 'author.name'],
      ['reviewuseremail', 'author.email'],
      ['reviewtitle', 'title'],
      ['reviewcontent', 'body'],
      ['reviewstars', 'rating'],
      ['reviewlanguage', 'language'],
      ['reviewtags', 'tags'],
      ['referenceid', 'metadata.reference_id'],
      ['locationname', 'metadata.location_name'],
    ]),
  },
  {
    preset: 'google',
    marks: ['starrating', 'comment', 'createtime'],
    fields: new Map<string, ImportField>([
      ['reviewid', 'external_id'],
      ['reviewerdisplayname', 'author.name'],
      ['reviewername', 'author.name'],
      ['displayname', 'author.name'],
      ['reviewerprofilephotourl', 'author.avatar_url'],
      ['profilephotourl', 'author.avatar_url'],
      ['starrating', 'rating'],
      ['comment', 'body'],
      ['createtime', 'source.collected_at'],
    ]),
  },
  {
    // What tools write that collect reviews from Google Maps. Its `name` is the place, its `author_title` a name.
    preset: 'google',
    marks: ['googleid', 'reviewtext', 'reviewrating'],
    fields: new Map<string, ImportField>([
      ['reviewid', 'external_id'],
      ['authortitle', 'author.name'],
      ['authorname', 'author.name'],
      ['authorimage', 'author.avatar_url'],
      ['reviewtext', 'body'],
      ['reviewrating', 'rating'],
      ['reviewlink', 'source.url'],
      ['reviewdatetimeutc', 'source.collected_at'],
    ]),
  },
  {
    preset: 'typeform',
    marks: ['submitdateutc', 'networkid'],
    fields: new Map<string, ImportField>([
      ['#', 'external_id'],
      ['submitdateutc', 'source.collected_at'],
      ['tags', 'tags'],
    ]),
    questions: { isOwn: (name) => TYPEFORM_OWN.includes(name) },
  },
  ...[['surveyresponseid'], ['responseid'], ['permalink'], ['surveytype'], ['respondedat']].map(
    (marks): Header => ({ preset: 'delighted', marks: ['score', 'comment', ...marks], fields: new Map(DELIGHTED_FIELDS) }),
  ),
  ...[['tagline'], ['submittedat'], ['videourl']].map(
    (marks): Header => ({
      preset: 'testimonial_to',
      marks: ['name', 'testimonial', ...marks],
      fields: new Map<string, ImportField>([
        ['name', 'author.name'],
        ['email', 'author.email'],
        ['tagline', 'author.title'],
        ['title', 'author.title'],
        ['company', 'author.company'],
        ['avatar', 'author.avatar_url'],
        ['avatarurl', 'author.avatar_url'],
        ['website', 'author.website_url'],
        ['testimonial', 'body'],
        ['rating', 'rating'],
        ['submittedat', 'source.collected_at'],
        ['date', 'source.collected_at'],
        ['tags', 'tags'],
        ['link', 'source.url'],
        ['source', 'source.provider'],
      ]),
    }),
  ),
]

/**
 * What people name columns, beside the names of the fields. Not `position`, which is a job, nor `id`: counted from 1 in each
 * file, it would make the second file look imported.
 */
export const FIELDS_BY_NAME: ReadonlyMap<string, ImportField> = new Map<string, ImportField>([
  ...importFields.filter((field) => field !== 'position').map((field): [string, ImportField] => [plainName(field), field]),
  ...entries('title', ['headline', 'reviewtitle']),
  ...entries('body', ['text', 'review', 'testimonial', 'quote', 'comment', 'feedback', 'message', 'content']),
  ...entries('body', ['reviewtext', 'reviewbody', 'reviewcontent', 'testimonialtext', 'yourtestimonial', 'yourreview', 'yourfeedback']),
  ...entries('rating', ['stars', 'starrating', 'reviewrating', 'reviewstars']),
  ...entries('author.name', ['name', 'author', 'fullname', 'yourname', 'whatsyourname', 'whatisyourname', 'customer', 'customername']),
  ...entries('author.name', ['reviewer', 'reviewername', 'firstname']),
  ...entries('author.email', ['email', 'emailaddress', 'youremail', 'youremailaddress', 'customeremail', 'revieweremail']),
  ...entries('author.email', ['whatsyouremail', 'whatisyouremail', 'whatsyouremailaddress', 'whatisyouremailaddress']),
  ...entries('author.title', ['jobtitle', 'role', 'tagline']),
  ...entries('author.company', ['company', 'companyname', 'organization', 'organisation']),
  ...entries('author.avatar_url', ['avatar', 'avatarurl', 'photo', 'photourl']),
  ...entries('author.website_url', ['website', 'websiteurl']),
  ...entries('source.url', ['url', 'link', 'sourceurl', 'reviewurl', 'reviewlink']),
  ...entries('source.provider', ['source', 'provider', 'platform']),
  ...entries('source.collected_at', ['date', 'createdat', 'collectedat', 'submittedat', 'reviewdate', 'timestamp']),
  ...entries('language', ['lang', 'locale']),
  ...entries('tags', ['labels']),
])

function entries(field: ImportField, names: readonly string[]): [string, ImportField][] {
  return names.map((name) => [name, field])
}
