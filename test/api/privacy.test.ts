import { randomUUID } from 'node:crypto'
import { erasedPersons, personMessage } from '@earshot/db'
import type { Worker } from '@earshot/jobs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect, erasePerson, newAddress } from '../support/erasures.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { answersTo, COUNTED } from '../support/survey-answers.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

let service: TestService
let worker: Worker
beforeAll(async () => {
  service = await startTestService()
  worker = await startWholeWorker(service)
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 5_000 })
  await service.close()
})

async function submissionsOf(team: Team): Promise<string[]> {
  return (await collect(service.client(team.token).submissions.list({ ...team.project, limit: 100 }))).map(({ id }) => id)
}

test('an erased author’s submissions are gone at once, and others stay', async () => {
  const team = await makeTeam(service.database)
  const email = newAddress()
  await team.submit({ author_email: email })
  await team.submit({ author_email: email.toUpperCase() })
  const other = await team.submit({ author_email: newAddress() })
  const receipt = await service.client(team.token).privacy.erase({ team_id: team.id, email })
  expect(receipt).toMatchObject({ kind: 'erase', state: 'running', counts: { submissions: 2 }, completed_at: null })
  expect(JSON.stringify(receipt)).not.toContain(email)
  expect(await submissionsOf(team)).toEqual([other.id])
})

test('figures, quotas of surveys, tags and searches are those without the person', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  const { id } = await team.submit({ author_email: email, rating: 1, tags: ['mine', 'both'], body: 'Zanzibar' })
  await client.submissions.approve({ ...team.project, submission_id: id })
  await team.submit({ author_email: newAddress(), rating: 5, tags: ['both'], body: 'Zanzibar too' })
  const survey = await client.surveys.create({ ...team.project, name: 'NPS', questions: COUNTED, response_limit: 2 })
  await client.surveys.publish({ ...team.project, survey_id: survey.id })
  for (const [recommend, address] of [
    [2, email],
    [10, newAddress()],
  ] as const)
    await client.responses.create({
      ...{ ...team.project, survey_id: survey.id, respondent: { email: address } },
      answers: answersTo(survey.questions, { recommend, words: 'Zanzibar' }),
    })
  const nps = async () => (await client.analytics.nps({ ...team.project })).score
  expect(await nps()).toBe(0)
  await erasePerson(service, team, email)
  expect(await nps()).toBe(100)
  expect(await client.submissions.counts(team.project)).toMatchObject({ total: 1, pending: 1, approved: 0 })
  expect(await client.surveys.retrieve({ ...team.project, survey_id: survey.id })).toMatchObject({ response_count: 1 })
  const tags = async () => (await collect(client.tags.list(team.project))).map(({ tag, count }) => [tag, count])
  expect(await tags()).toEqual([['both', 1]])
  const found = await collect(client.submissions.list({ ...team.project, search: 'Zanzibar' }))
  expect(found.map(({ body }) => body)).toEqual(['Zanzibar too'])
  expect(await collect(client.responses.list({ ...team.project, survey_id: survey.id, search: 'Zanzibar' }))).toHaveLength(1)
})

test('records without an author’s address that have it in their text are the person’s', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  await team.submit({ body: `Write to me: ${email.toUpperCase()}.` })
  await team.submit({ metadata: { contact: { mail: email } } })
  await team.submit({ source_url: `https://example.com/?mail=${encodeURIComponent(email)}` })
  const survey = await client.surveys.create({ ...team.project, name: 'NPS', questions: COUNTED })
  await client.surveys.publish({ ...team.project, survey_id: survey.id })
  const answers = answersTo(survey.questions, { recommend: 3, email })
  await client.responses.create({ ...team.project, survey_id: survey.id, answers })
  await client.responses.create({
    ...{ ...team.project, survey_id: survey.id, hidden: { mail: email } },
    answers: answersTo(survey.questions, { recommend: 4 }),
  })
  expect((await erasePerson(service, team, email)).counts).toMatchObject({ submissions: 3, responses: 2, events: 7 })
  expect(await submissionsOf(team)).toEqual([])
  expect(await client.surveys.results({ ...team.project, survey_id: survey.id })).toMatchObject({ responses: 0 })
})

test('records of other people stay, and the address in them is replaced', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  const author_email = newAddress()
  const { id: submission_id } = await team.submit({
    ...{ author_email, body: `Thanks to ${email}!\nGreat.`, external_id: email, tags: ['a', email, 'b'] },
    metadata: { note: `"${email}"`, other: 1 },
  })
  const survey = await client.surveys.create({ ...team.project, name: 'NPS', questions: COUNTED })
  await client.surveys.publish({ ...team.project, survey_id: survey.id })
  const { id: response_id } = await client.responses.create({
    ...{ ...team.project, survey_id: survey.id, respondent: { email: author_email, properties: { boss: email } } },
    answers: answersTo(survey.questions, { recommend: 9, email, words: `Ask ${email}` }),
  })
  expect((await erasePerson(service, team, email)).counts).toMatchObject({ submissions: 0, responses: 0, events: 2 })
  expect(await client.submissions.retrieve({ ...team.project, submission_id })).toMatchObject({
    ...{ author: { email: author_email }, body: 'Thanks to [erased]!\nGreat.', external_id: `erased:${submission_id}` },
    ...{ tags: ['a', '[erased]', 'b'], metadata: { note: '"[erased]"', other: 1 } },
  })
  const response = await client.responses.retrieve({ ...team.project, survey_id: survey.id, response_id })
  expect(response).toMatchObject({ respondent: { email: author_email, properties: { boss: '[erased]' } } })
  expect(response.answers.map(({ value }) => value)).toEqual([9, 'Ask [erased]', '[erased]'])
  const tags = async () => (await collect(client.tags.list(team.project))).map(({ tag }) => tag)
  await until('the tags are counted', async () => !(await tags()).includes(email))
  expect((await tags()).toSorted()).toEqual(['[erased]', 'a', 'b'])
})

test.for(['jo{}', '{}.au', 'x+{}', 'x.{}', 'x-{}'])('an address that contains it, %s, is another one', async (pattern) => {
  const team = await makeTeam(service.database)
  const email = newAddress()
  const other = pattern.replace('{}', email)
  await team.submit({ author_email: other, body: `I am ${other}` })
  expect((await erasePerson(service, team, email)).counts).toMatchObject({ submissions: 0, events: 0 })
  expect(await submissionsOf(team)).toHaveLength(1)
})

test('an address in another script is found in all its spellings', async () => {
  const team = await makeTeam(service.database)
  for (const body of [
    'Write to JÜRGEN@BÜCHER.example',
    'Write to ju\u0308rgen@bu\u0308cher.example',
    'Write to jürgen@xn--bcher-kva.example',
    'See https://example.com/?mail=j%C3%BCrgen%40b%C3%BCcher.example',
    'The log says "j\\u00fcrgen\\u0040b\\u00fccher.example"',
  ])
    await team.submit({ body })
  expect((await erasePerson(service, team, 'Jürgen@bücher.example')).counts).toMatchObject({ submissions: 5, events: 5 })
})

test('a person with 1,500 submissions is erased whole, a thousand at once and the others by the job', async () => {
  const team = await makeTeam(service.database)
  const email = newAddress()
  const { team_id, project_id } = team.project
  await service.database.run(
    `select count(*)
       from create_submissions(
              array_fill($1::uuid, array[1500]), array_fill($2::uuid, array[1500]),
              array(select uuidv7() from generate_series(1, 1500)),
              array(select jsonb_build_object('kind', 'text', 'channel', 'api', 'body', 'Number ' || i, 'author_name', 'Ada', 'author_email', $3::text, 'tags', array['t'])
                      from generate_series(1, 1500) i),
              array_fill(null::bytea, array[1500]))`,
    [team_id, project_id, email],
  )
  const receipt = await service.client(team.token).privacy.erase({ team_id: team.id, email })
  expect(receipt.counts.submissions).toBe(1000)
  expect((await erasePerson(service, team, email)).counts).toMatchObject({ submissions: 1500, events: 1500 })
  expect(await submissionsOf(team)).toEqual([])
  expect(await service.client(team.token).submissions.counts(team.project)).toMatchObject({ total: 0 })
})

test('the erasure of an unknown address has a receipt of zeros', async () => {
  const team = await makeTeam(service.database)
  await team.submit({ author_email: newAddress() })
  const { counts, recipients } = await erasePerson(service, team, newAddress())
  expect([...new Set(Object.values(counts))]).toEqual([0])
  expect(recipients).toEqual([])
})

test('while an erasure runs, another one of the same person is the same, and later it is a new one', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  for (let number = 0; number < 5; number += 1) await team.submit({ author_email: email, body: `Number ${number}` })
  const eraseEach = () => Promise.all([email, email.toUpperCase(), email].map((email) => client.privacy.erase({ team_id: team.id, email })))
  // The job waits for the table as long as all three are asked for.
  const receipts = await service.database.transaction(async (tx) => {
    await tx.run('lock table mails in share row exclusive mode', [])
    return eraseEach()
  })
  expect(new Set(receipts.map(({ id }) => id)).size).toBe(1)
  const first = await erasePerson(service, team, email)
  await team.submit({ author_email: email })
  const second = await erasePerson(service, team, email)
  expect(second.id).not.toBe(first.id)
  expect(second.counts.submissions).toBe(1)
})

test('erasures of many people of a team at once all end', async () => {
  const team = await makeTeam(service.database)
  const { id: second } = await service.client(team.token).projects.create({ team_id: team.id, name: 'Second' })
  const emails = Array.from({ length: 8 }, newAddress)
  for (const author_email of emails) {
    await team.submit({ author_email })
    const author = { name: 'Ada', email: author_email }
    await service.client(team.token).submissions.create({ team_id: team.id, project_id: second, body: 'Lovely', author })
  }
  const receipts = await Promise.all(emails.map((email) => erasePerson(service, team, email)))
  expect(receipts.map(({ counts }) => [counts.submissions, counts.events])).toEqual(emails.map(() => [2, 2]))
})

test('another team’s records of the same person stay', async () => {
  const [team, other] = [await makeTeam(service.database), await makeTeam(service.database)]
  const email = newAddress()
  await team.submit({ author_email: email })
  await other.submit({ author_email: email })
  await service.client(other.token).invitations.create({ team_id: other.id, email, role: 'member' })
  await erasePerson(service, team, email)
  expect(await submissionsOf(other)).toHaveLength(1)
  expect(await collect(service.client(other.token).invitations.list({ team_id: other.id }))).toHaveLength(1)
  expect(await service.database.run('select from mails where recipient = $1', [email])).toHaveLength(1)
})

test('erased people are known to imports by a MAC, in any spelling', async () => {
  const team = await makeTeam(service.database)
  const [email, other] = [newAddress(), newAddress()]
  await erasePerson(service, team, email)
  const macs = [other, email.toUpperCase()].map((address) => service.secretBox.mac('person', personMessage(team.id, address)))
  expect(await erasedPersons(service.database, team.id, macs)).toEqual(new Set([1]))
  expect(await erasedPersons(service.database, randomUUID(), macs)).toEqual(new Set())
})

test('without privacy requests in the plan both are refused', async () => {
  const team = await makeTeam(service.database, { plan: 'pro' })
  const erased = service.client(team.token).privacy.erase({ team_id: team.id, email: newAddress() })
  await expect(erased).rejects.toMatchObject({ code: 'feature_not_in_plan' })
})
