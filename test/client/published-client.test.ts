import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { contracts, listOperations } from '@earshot/contracts'
import { signWebhook } from '@earshot/contracts/webhooks'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { playService } from '../cli/fake-service.ts'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

const TOP = fileURLToPath(new URL('../..', import.meta.url))
const TSC = `${TOP}node_modules/.bin/tsc`
const PACKAGE = 'node_modules/@earshot/client'
const MAX_BYTES = 15_000
const MAX_GZIP_BYTES = 5_000

let project: InstalledPackage
beforeAll(async () => {
  project = await installPackage('sdks/typescript')
}, 120_000)
afterAll(() => project?.[Symbol.dispose]())

test('the package has no dependencies, and publint finds nothing', async () => {
  expect(await project.listDependencies()).toEqual(['@earshot/client'])
  const { messages, pkg } = await publint({ pkgDir: project.built, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([])
})

test('what every program loads is small; streams, exports and uploads are files of their own', async () => {
  const entry = await filesOf('index.js')
  expect(entry.join('').length).toBeLessThanOrEqual(MAX_BYTES)
  expect(entry.reduce((bytes, text) => bytes + gzipSync(text, { level: 9 }).length, 0)).toBeLessThanOrEqual(MAX_GZIP_BYTES)
  expect(entry.join('')).not.toMatch(/tus-resumable|event-stream.*onParse|ZodType/)
})

test('it has a method for every operation', async () => {
  project.write(
    'methods.js',
    `import { createClient } from '@earshot/client'
     const walk = (node, path) => Object.entries(node).flatMap(([name, child]) =>
       typeof child === 'function' ? [[...path, name].join('.')] : walk(child, [...path, name]))
     console.log(JSON.stringify(walk(createClient({ baseUrl: 'http://localhost' }), [])))`,
  )
  const methods: string[] = JSON.parse(await project.run(process.execPath, 'methods.js'))
  expect(methods.sort()).toEqual([...listOperations(contracts).map(({ name }) => name), 'videos.upload'].sort())
})

test('its classes of errors are the same in all of its files', async () => {
  await using service = await playService({ status: 403, json: { code: 'permission_denied', detail: 'No.', request_id: 'req_1' } })
  project.write(
    'errors.js',
    `import { createClient, EarshotApiError } from '@earshot/client'
     import { uploadVideoFile } from '@earshot/client/uploads'
     const options = { baseUrl: ${JSON.stringify(service.url)}, token: 'svc_x' }
     const earshot = createClient(options)
     const place = { team_id: 'a', project_id: 'b' }
     const first = async (items) => { for await (const item of items) return item }
     const upload = { url: options.baseUrl + '/api/v1/x/', token: 't' }
     const tries = [earshot.me.retrieve(), first(earshot.events.stream(place)), first(earshot.submissions.export(place)),
       uploadVideoFile(options, { upload }, new Uint8Array(4), { giveUpAfterMs: 1 })]
     for (const { reason } of await Promise.allSettled(tries)) console.log(reason instanceof EarshotApiError, reason.name)`,
  )
  const lines = (await project.run(process.execPath, 'errors.js')).trim().split('\n')
  expect(lines.slice(0, 3)).toEqual(['true EarshotApiError', 'true EarshotApiError', 'true EarshotApiError'])
})

test('it verifies webhooks, and their events have types', async () => {
  const secret = `whsec_${'A'.repeat(32)}`
  const body = JSON.stringify({ id: 'e', type: 'submission.approved', data: { submission: { id: 's' } } })
  const headers = await signWebhook({ body, secret, timestampSeconds: Math.floor(Date.now() / 1000), deliveryId: 'd' })
  project.write(
    'webhooks.ts',
    `import { verifyWebhook, WebhookVerificationError } from '@earshot/client/webhooks'
     const event = await verifyWebhook(${JSON.stringify(body)}, ${JSON.stringify(headers)}, ${JSON.stringify(secret)})
     let id: string = 'another type'
     if (event.type === 'submission.approved') id = event.data.submission.id
     const refused = await verifyWebhook('{}', ${JSON.stringify(headers)}, ${JSON.stringify(secret)}).catch((error: unknown) => error)
     declare const console: { log: (...words: unknown[]) => void }
     console.log(id, refused instanceof WebhookVerificationError && refused.code)`,
  )
  await check('webhooks.ts', { lib: ['es2023', 'dom', 'dom.asynciterable'] })
  expect((await project.run(process.execPath, 'webhooks.ts')).trim()).toBe('s bad_signature')
})

test('its types are those of the contracts', async () => {
  project.write(
    'same.ts',
    `import type { Client as Published, ErrorBody as PublishedBody } from '@earshot/client'
     import type { Client } from '${TOP}contracts/src/client/index.ts'
     import type { ErrorBody } from '${TOP}contracts/src/errors.ts'
     export const asContracts = (client: Published): Client => client
     type Same = Omit<Published, 'privacy'>
     export const asPublished = (client: Omit<Client, 'privacy'>): Same => client
     export const bodies: [(body: PublishedBody) => ErrorBody, (body: ErrorBody) => PublishedBody] = [(body) => body, (body) => body]`,
  )
  await check('same.ts', { lib: ['es2024', 'dom', 'dom.asynciterable', 'esnext'], allowImportingTsExtensions: true, skipLibCheck: true })
})

test.each([
  ['Node', { module: 'nodenext', lib: ['es2023', 'dom', 'dom.asynciterable'] }],
  ['a bundler', { module: 'preserve', lib: ['es2023', 'dom', 'dom.asynciterable'], exactOptionalPropertyTypes: true }],
])('it types programs for %s', async (_what, options) => {
  project.write('consumer.ts', CONSUMER)
  await check('consumer.ts', options)
})

test('the tasks of its README compile', async () => {
  const readme = readFileSync(`${TOP}sdks/typescript/README.md`, 'utf8')
  const blocks = Array.from(readme.matchAll(/```ts\n([\s\S]*?)```/g), ([, code = '']) => code)
  expect(blocks).toHaveLength(11)
  const imports = new Set(blocks.flatMap((code) => code.match(/^import .*$/gm) ?? []))
  const [setUp = '', ...tasks] = blocks.map((code) => code.replaceAll(/^import .*\n/gm, ''))
  const given = ['team_id', 'project_id', 'submission_id', 'survey_id', 'public_key'].map((name) => `declare const ${name}: string`)
  const bodies = tasks.map((code, index) => `export async function task${index}() {\n${code}}\n`)
  project.write('tasks.ts', [...imports, ...given, 'declare const file: Blob', setUp, ...bodies].join('\n'))
  await check('tasks.ts', { module: 'nodenext', lib: ['es2023', 'dom', 'dom.asynciterable'] })
})

/** Returns the texts of a file of the package and of those that it imports at once. */
async function filesOf(name: string, seen = new Set<string>()): Promise<string[]> {
  if (seen.has(name)) return []
  seen.add(name)
  const text = await project.run('cat', `${PACKAGE}/${name}`)
  const imports = Array.from(text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g), ([, file = '']) => file)
  const others: string[] = []
  for (const file of imports) others.push(...(await filesOf(file, seen)))
  return [text, ...others]
}

async function check(file: string, options: object): Promise<void> {
  const compilerOptions = { strict: true, noEmit: true, target: 'es2023', module: 'nodenext', types: [], skipLibCheck: false, ...options }
  project.write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }))
  expect(await project.run(TSC, '--project', 'tsconfig.json')).toBe('')
}

const CONSUMER = `
import { createClient, EarshotApiError, type InputOf, type Submission } from '@earshot/client'

const earshot = createClient({ baseUrl: 'https://feedback.example', token: undefined })
const place = { team_id: 'a', project_id: 'b' }

export async function use(error: unknown): Promise<void> {
  const approved: Submission = await earshot.submissions.approve({ ...place, submission_id: 'c', reason: undefined })
  const words: string | null = approved.body
  const input: InputOf<'submissions_list'> = { ...place, state: 'pending', 'limit': 5 }
  for await (const item of earshot.submissions.list(input)) console.log(item.author.name, words)
  for await (const page of earshot.submissions.list(input).pages()) console.log(page.next_cursor)
  for await (const { data } of earshot.events.stream({ team_id: 'a' })) console.log(data.type)
  for await (const record of earshot.submissions.export(place)) console.log(record.id)
  await earshot.public.drafts.submit({ video_id: 'a', upload_token: 'b' })
  await earshot.teams.list()
  const nothing: void = await earshot.submissions.delete({ ...place, submission_id: 'c' })
  console.log(nothing)
  if (error instanceof EarshotApiError && error.code === 'state_conflict') console.log(error.fields.current_state)
  // @ts-expect-error: there is no such state
  await earshot.submissions.list({ ...place, state: 'waiting' })
  // @ts-expect-error: the submission is missing
  await earshot.submissions.approve(place)
  // @ts-expect-error: there is no such field
  await earshot.submissions.approve({ ...place, submission_id: 'c', comment: '' })
  // @ts-expect-error: there is no such operation
  await earshot.submissions.publish({ ...place, submission_id: 'c' })
}
`
