import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import type { Fixture } from './fixture.ts'

/** A letter under a pile of combining marks, as long as a field takes. */
const pile = (characters: number) => `Z${'\u0301\u0489\u20dd\u0335\u0f39'.repeat(Math.ceil(characters / 5))}`.slice(0, characters)

const RUNS = 'window.isBreached = true'
/** What would run if a page took words for markup, a template or an address to open. */
const MARKUP = `<img src=x onerror="${RUNS}"><script>${RUNS}</script>{{constructor.constructor('${RUNS}')()}}\${${RUNS}}`
const RTL = '\u202egnp.exe\u2066 \u200b\u200d\u2069 ظ\u202d moc.elgoog'
/** Nothing to see, but not empty either. */
const INVISIBLE = '\u200b\u200c\u2060\ufeff'
const UNBROKEN = 'W'.repeat(10_000)

/** Words of strangers, by what is wrong with them. Names have at most 200 characters, bodies 10,000. */
const WORDS: readonly { name: string; title: string; body: string; tag: string }[] = [
  { name: pile(200), title: pile(200), body: pile(10_000), tag: pile(50) },
  { name: RTL, title: RTL, body: `${RTL} ${RTL}`, tag: RTL },
  { name: MARKUP.slice(0, 200), title: MARKUP.slice(0, 200), body: MARKUP, tag: '<b onclick=alert(1)>"\'`' },
  { name: INVISIBLE, title: INVISIBLE, body: INVISIBLE, tag: INVISIBLE },
  { name: UNBROKEN.slice(0, 200), title: UNBROKEN.slice(0, 200), body: UNBROKEN, tag: UNBROKEN.slice(0, 50) },
  { name: '\n\n\t\u0007\u001b[31m', title: '\n'.repeat(200), body: `${'\n'.repeat(5_000)}end`, tag: '\u0007\u001b[2J' },
]

/** The ids of what was made, for the addresses of its pages. */
export interface Hostile {
  submissions: readonly string[]
  testimonials: readonly string[]
  survey: string
  responses: readonly string[]
  webhook: string
  event: string
  deliveries: readonly string[]
  import: string
  widget: string
  videos: readonly string[]
}

/** Gives the people, the team and another project names as bad as those of strangers. */
export async function renameAll({ client, team }: Fixture): Promise<void> {
  await client.me.update({ name: pile(100) })
  await client.teams.update({ team_id: team.id, name: UNBROKEN.slice(0, 200) })
  for (const { name } of WORDS) await client.projects.create({ team_id: team.id, name, website_url: null })
}

/** Fills a project with the worst that the service accepts. */
export async function fillHostile(fixture: Fixture): Promise<Hostile> {
  const { client, team, project } = fixture
  const ref = { team_id: team.id, project_id: project.id }
  const webhook = await makeWebhook(fixture)
  const submissions: string[] = []
  const testimonials: string[] = []
  const videos: string[] = []
  for (const { name, title, body, tag } of WORDS) {
    const author = {
      name,
      title,
      company: name,
      website_url: `https://example.com/${encodeURIComponent(name)}?${'x'.repeat(1_500)}`.slice(0, 2_000),
    }
    const made = { title, body, tags: [tag], author, source: { provider: name.slice(0, 50), url: author.website_url } }
    const consent = { granted: true, text: body.slice(0, 2_000) }
    submissions.push((await client.submissions.create({ ...ref, ...made, consent, external_id: name, rating: 5 })).id)
    testimonials.push((await client.testimonials.create({ ...ref, ...made, consent, external_id: `t${name.slice(0, 199)}` })).id)
    await client.testimonials.update({ ...ref, testimonial_id: testimonials.at(-1) ?? '', excerpt: body.slice(0, 5_000) })
    const file = { file_name: `${name.slice(0, 190)}.webm`, content_type: 'video/webm', size_bytes: 1_000 } as const
    videos.push((await client.videos.reserve({ ...ref, ...file, draft: { author: { name }, title, body } })).video.id)
  }
  const decided = { ...ref, submission_id: submissions[0] ?? '', reason: pile(500) }
  await client.submissions.reject(decided)
  await client.submissions.approve({ ...ref, submission_id: submissions[4] ?? '', reason: UNBROKEN.slice(0, 500) })
  const made = { submissions, testimonials, videos, ...(await makeSurvey(fixture)) }
  const widget = await client.widgets.create({ ...ref, name: pile(200), layout: 'wall' })
  await client.widgets.create({ ...ref, name: UNBROKEN.slice(0, 200), layout: 'badge' })
  return { ...made, ...(await webhook()), widget: widget.id, import: await makeImport(fixture) }
}

/** A survey whose questions and choices are hostile, with responses of each kind of words. */
async function makeSurvey({ client, team, project }: Fixture): Promise<Pick<Hostile, 'survey' | 'responses'>> {
  const ref = { team_id: team.id, project_id: project.id }
  const [first, , , , longest] = WORDS
  const options = WORDS.map(({ name }, index) => ({ value: `v${index}`, label: name }))
  const { id: survey_id, questions } = await client.surveys.create({
    ...{ ...ref, name: pile(200) },
    questions: [
      { type: 'nps', ref: 'nps', title: pile(500), low_label: pile(100), high_label: UNBROKEN.slice(0, 100) },
      { type: 'long_text', ref: 'why', title: UNBROKEN.slice(0, 500), description: MARKUP },
      { type: 'single_choice', ref: 'one', title: RTL, options },
      { type: 'multiple_choice', ref: 'some', title: INVISIBLE, options },
      { type: 'url', ref: 'site', title: MARKUP },
    ],
  })
  const idOf = (index: number) => questions[index]?.id ?? ''
  await client.surveys.publish({ ...ref, survey_id })
  const responses: string[] = []
  for (const [index, { name, body }] of WORDS.entries()) {
    const answers = [
      { question_id: idOf(0), value: index * 2 },
      { question_id: idOf(1), value: body },
      { question_id: idOf(2), value: `v${index}` },
      { question_id: idOf(3), value: ['v0', `v${Math.max(1, index)}`] },
      { question_id: idOf(4), value: `https://example.com/${'x'.repeat(900)}` },
    ]
    const respondent = { name, external_id: name }
    responses.push((await client.responses.create({ ...ref, survey_id, answers, respondent })).id)
  }
  await client.surveys.create({
    ...ref,
    name: longest?.name ?? '',
    questions: [{ type: 'statement', ref: 'a', title: first?.title ?? '' }],
  })
  return { survey: survey_id, responses }
}

/** What a receiver may answer: a page that runs, megabytes, bytes of no text, and what moves the cursor of a terminal. */
const ANSWERS: readonly { type: string; body: Buffer }[] = [
  { type: 'text/html', body: Buffer.from(`<!doctype html><html><body>${MARKUP}</body></html>`) },
  { type: 'text/plain', body: Buffer.alloc(3_000_000, 'W') },
  { type: 'application/octet-stream', body: Buffer.from(Array.from({ length: 4_096 }, (_, index) => index % 256)) },
  { type: 'text/plain; charset=utf-8', body: Buffer.from(`${pile(3_000)}${RTL}\u001b[2J\u0007`) },
]

/** An endpoint whose receiver answers with the worst. What it resolves to waits until all deliveries have failed. */
async function makeWebhook({ client, team }: Fixture) {
  const receiver = await startReceiver((response, { headers }) => {
    const { type, body } = ANSWERS[(receiver.requests.length - 1) % ANSWERS.length] ?? { type: 'text/plain', body: Buffer.of() }
    const hostile = { 'x-markup': MARKUP.replaceAll('\n', ''), 'x-long': 'W'.repeat(3_000) }
    // For good: no retry comes later.
    response.writeHead(headers['x-service-event'] === 'submission.created' ? 410 : 404, { 'content-type': type, ...hostile }).end(body)
  })
  const description = UNBROKEN.slice(0, 200)
  const events = ['submission.created' as const]
  const { id } = await client.webhooks.create({ team_id: team.id, url: `${receiver.url}/${'x'.repeat(1_500)}`, events, description })
  const ref = { team_id: team.id, webhook_id: id }
  return async (): Promise<Pick<Hostile, 'webhook' | 'event' | 'deliveries'>> => {
    const failed = async () => (await client.webhooks.deliveries.list({ ...ref, state: 'failed' })).results
    await until('deliveries failed', async () => (await failed()).length > 0)
    await receiver[Symbol.asyncDispose]()
    const deliveries = await failed()
    return { webhook: id, event: deliveries[0]?.event_id ?? '', deliveries: deliveries.map((one) => one.id) }
  }
}

/** A dry run of a file whose cells and columns are hostile. */
async function makeImport({ client, team, project }: Fixture): Promise<string> {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
  const lines = [
    ['name', 'text', pile(150), MARKUP.slice(0, 150), '=HYPERLINK("javascript:alert(1)")'],
    ...WORDS.map(({ name, body, title }) => [name, body, title, '=cmd|calc', '+1']),
    ['', '', '', '', ''],
  ].map((cells) => cells.map(cell).join(','))
  const mapping = { name: 'author.name', text: 'body' }
  const ref = { team_id: team.id, project_id: project.id }
  const file = { file_name: `${UNBROKEN.slice(0, 190)}.csv`, csv: lines.join('\n'), target: 'testimonials' as const }
  const { id } = await client.imports.create({ ...ref, ...file, mapping, dry_run: true })
  await until('the dry run ends', async () => {
    const { state } = await client.imports.retrieve({ ...ref, import_id: id })
    return state === 'completed' || state === 'failed'
  })
  return id
}

/** Whether a page took words for markup. */
export const isBreached = 'Boolean(window.isBreached)'
