import type { Client, createClient, EarshotApiError } from '@earshot/contracts/client'

// Runs in Node, Bun, Deno and browsers, so it uses nothing but what all of them have.

const VIDEO_BYTES = 700_000
const CHUNK_BYTES = 300_000

/** What the tour needs of the package. */
interface Package {
  createClient: typeof createClient
  EarshotApiError: typeof EarshotApiError
}

/** Where the tour goes: a service, and a team with a token of every scope. */
export interface Destination {
  baseUrl: string
  token: string
  team_id: string
}

interface Place {
  team_id: string
  project_id: string
}

/** Calls the service as a program would, with an installed package. Resolves to the names of its steps; rejects at the first that fails. */
export async function takeTour({ createClient, EarshotApiError }: Package, { baseUrl, token, team_id }: Destination): Promise<string[]> {
  const earshot = createClient({ baseUrl, token })
  const visitor = createClient({ baseUrl })
  const { id: project_id } = await earshot.projects.create({ team_id, name: `Engines ${crypto.randomUUID()}` })
  const place = { team_id, project_id }
  const steps: Record<string, () => Promise<void>> = {
    create: () => submitThree(earshot, visitor, place),
    approve: () => approveOldest(earshot, place),
    conflict: () => meetConflict(earshot, place, EarshotApiError),
    'all pages': () => walkPages(earshot, place),
    export: () => exportAll(earshot, place),
    'event stream': () => streamEvents(earshot, team_id),
    'video upload': () => uploadVideo(earshot, place),
  }
  for (const [name, step] of Object.entries(steps)) {
    await step().catch((error: Error) => {
      throw new Error(`${name}: ${error.name}: ${error.message}`)
    })
  }
  return Object.keys(steps)
}

async function submitThree(earshot: Client, visitor: Client, place: Place): Promise<void> {
  const { key: public_key } = await earshot.publicKeys.create({ ...place, label: 'website' })
  for (const name of ['Ada', 'Grace', 'Joan']) {
    const words = { kind: 'text', body: `It saved ${name} a week.`, author: { name }, consent: { granted: true } } as const
    await visitor.public.submissions.create({ public_key, ...words })
  }
}

async function approveOldest(earshot: Client, place: Place): Promise<void> {
  const { results } = await earshot.submissions.list({ ...place, state: 'pending' })
  expectSame(
    results.map(({ author }) => author.name),
    ['Joan', 'Grace', 'Ada'],
  )
  const approved = await earshot.submissions.approve({ ...place, submission_id: results.at(-1)?.id ?? '' })
  expectSame(approved.state, 'approved')
}

async function meetConflict(earshot: Client, place: Place, ApiError: typeof EarshotApiError): Promise<void> {
  const { results } = await earshot.submissions.list({ ...place, state: 'approved' })
  const refused = await earshot.submissions
    .reject({ ...place, submission_id: results[0]?.id ?? '', expected_state: 'pending' })
    .catch((error: Error) => error)
  if (!(refused instanceof ApiError)) throw new Error(`The conflict is ${refused}.`)
  expectSame([refused.status, refused.code, refused.fields.current_state], [409, 'state_conflict', 'approved'])
}

async function walkPages(earshot: Client, place: Place): Promise<void> {
  const names: string[] = []
  for await (const { author } of earshot.submissions.list({ ...place, limit: 1 })) names.push(author.name)
  expectSame(names, ['Joan', 'Grace', 'Ada'])
}

async function exportAll(earshot: Client, place: Place): Promise<void> {
  const names: string[] = []
  for await (const { author } of earshot.submissions.export(place)) names.push(author.name)
  expectSame(names, ['Joan', 'Grace', 'Ada'])
  const decoder = new TextDecoder()
  let csv = ''
  for await (const bytes of earshot.submissions.export(place).csv()) csv += decoder.decode(bytes, { stream: true })
  expectSame(csv.trim().split('\n').length, 4)
}

async function streamEvents(earshot: Client, team_id: string): Promise<void> {
  const { results, next_cursor } = await firstEvent(earshot, team_id)
  const types: string[] = []
  for await (const { data } of earshot.events.stream({ team_id, cursor: next_cursor ?? '' })) {
    types.push(data.type)
    if (data.type === 'submission.approved') break
  }
  expectSame([results.length, types.includes('submission.created')], [1, true])
}

/** Events are in the feed soon after what they tell of. */
async function firstEvent(earshot: Client, team_id: string) {
  for (let tries = 0; ; tries += 1) {
    const page = await earshot.events.list({ team_id, limit: 1 })
    if (page.results.length > 0 || tries === 50) return page
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function uploadVideo(earshot: Client, place: Place): Promise<void> {
  const bytes = new Uint8Array(VIDEO_BYTES)
  for (let at = 0; at < VIDEO_BYTES; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  const file = new File([bytes], 'clip.webm', { type: 'video/webm' })
  const sent: number[] = []
  const onProgress = ({ sentBytes }: { sentBytes: number }) => sent.push(sentBytes)
  const video = await earshot.videos.upload(place, file, { onProgress, chunkBytes: CHUNK_BYTES })
  expectSame([video.file_name, video.content_type, video.size_bytes], ['clip.webm', 'video/webm', VIDEO_BYTES])
  expectSame([sent[0], sent.at(-1)], [0, VIDEO_BYTES])
}

function expectSame<Value>(actual: Value, expected: Value): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
}
