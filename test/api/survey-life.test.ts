import type { Survey, SurveyStatus } from '@earshot/contracts'
import type { Client } from '@earshot/contracts/client'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const RUNS = 20
const LONGEST_MS = 120_000
const NPS = { ref: 'recommend', type: 'nps', title: 'How likely are you to recommend us?', required: true } as const
const NOTE = { ref: 'note', type: 'short_text', title: 'What else?' } as const

let service: TestService
let team: Team
let client: Client
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database, { plan: 'business' })
  client = service.client(team.token)
})
afterAll(() => service.close())

/** What a survey should be. */
interface Model {
  status: SurveyStatus
  /** Whether each version asks for the note too. */
  versions: boolean[]
  limit: number | null
  /** Responses that are there, newest last, each with its version and score. */
  responses: { id: string; version: number; score: number }[]
}

type Step =
  | { do: 'publish' | 'close' | 'edit' | 'delete' }
  | { do: 'limit'; limit: number | null }
  | { do: 'respond'; version: 'current' | 'first' | 'next'; score: number; hasNote: boolean }

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('publish', 'publish', 'close', 'edit', 'delete', 'delete') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit'), limit: fc.option(fc.integer({ min: 1, max: 4 })) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('respond'),
      version: fc.constantFrom('current', 'current', 'current', 'first', 'next'),
      score: fc.integer({ min: -1, max: 11 }),
      hasNote: fc.constantFrom(false, false, true),
    }),
  },
) as fc.Arbitrary<Step>

test(
  'whatever is done to a survey, it has the status, version and responses that its story says',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 40 }), async (steps) => {
        const { id: survey_id, questions } = await client.surveys.create({ ...team.project, name: 'Survey', questions: [NPS] })
        const ref = { ...team.project, survey_id }
        const model: Model = { status: 'draft', versions: [false], limit: null, responses: [] }
        const asked = [questions]
        for (const step of steps) {
          expect([step, await perform(ref, step, { model, asked })]).toEqual([step, expectedOf(model, step)])
          const survey = await client.surveys.retrieve(ref)
          asked[survey.version - 1] = survey.questions
          expect([step, factsOf(survey)]).toEqual([step, modelFacts(model)])
        }
        const listed = await client.responses.list({ ...ref, limit: 100 })
        expect(listed.results.map(({ id, survey_version, nps_score }) => ({ id, version: survey_version, score: nps_score }))).toEqual(
          model.responses.toReversed(),
        )
      }),
      { numRuns: RUNS },
    )
  },
  LONGEST_MS,
)

type Ref = Parameters<Client['surveys']['retrieve']>[0]

/** What is known of a survey in a run. */
interface Run {
  model: Model
  /** What each version asks, by its index. */
  asked: Survey['questions'][]
}

/** Performs a step and returns `done`, or the code of its error. What came to be, and its id, goes into the model. */
async function perform(ref: Ref, step: Step, { model, asked }: Run): Promise<string> {
  try {
    switch (step.do) {
      case 'publish':
        await client.surveys.publish(ref)
        break
      case 'close':
        await client.surveys.close(ref)
        break
      case 'edit':
        await client.surveys.update({ ...ref, questions: model.versions.at(-1) ? [NPS] : [NPS, NOTE] })
        break
      case 'limit':
        await client.surveys.update({ ...ref, response_limit: step.limit })
        break
      case 'delete': {
        const response_id = model.responses[0]?.id
        if (response_id !== undefined) await client.responses.delete({ ...ref, response_id })
        break
      }
      case 'respond':
        await respond(ref, step, { model, asked })
    }
    return 'done'
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

async function respond(ref: Ref, step: Extract<Step, { do: 'respond' }>, { model, asked }: Run): Promise<void> {
  const version = versionOf(model, step)
  const [nps, note] = asked[version - 1] ?? asked.at(-1) ?? []
  const answers = [
    { question_id: nps?.id ?? '', value: step.score },
    ...(step.hasNote ? [{ question_id: note?.id ?? ref.survey_id, value: 'More colours' }] : []),
  ]
  const { id, created_at } = await client.responses.create({ ...ref, survey_version: version, answers })
  expect(created_at).toEqual(expect.any(String))
  model.responses.push({ id, version, score: step.score })
}

function versionOf(model: Model, { version }: Extract<Step, { do: 'respond' }>): number {
  const current = model.versions.length
  return { current, first: 1, next: current + 1 }[version]
}

/** What a step should bring, and what it makes of the model; a response is there already when it was taken. */
function expectedOf(model: Model, step: Step): string {
  switch (step.do) {
    case 'publish':
      if (model.status !== 'active' && isFull(model)) return 'state_conflict'
      model.status = 'active'
      return 'done'
    case 'close':
      if (model.status === 'draft') return 'state_conflict'
      model.status = 'closed'
      return 'done'
    case 'edit': {
      const hasNote = !model.versions.at(-1)
      if (model.status === 'draft') model.versions[0] = hasNote
      else model.versions.push(hasNote)
      return 'done'
    }
    case 'limit':
      model.limit = step.limit
      if (model.status === 'active' && isFull(model)) model.status = 'closed'
      return 'done'
    case 'delete':
      model.responses.shift()
      return 'done'
    case 'respond':
      return expectedAnswer(model, step)
  }
}

function expectedAnswer(model: Model, step: Extract<Step, { do: 'respond' }>): string {
  if (model.status !== 'active') return 'state_conflict'
  const asksForNote = model.versions[versionOf(model, step) - 1]
  if (asksForNote === undefined || step.score < 0 || step.score > 10 || (step.hasNote && !asksForNote)) return 'validation_error'
  if (isFull(model)) model.status = 'closed'
  return 'done'
}

function isFull({ limit, responses }: Model): boolean {
  return limit !== null && responses.length >= limit
}

function factsOf({ status, version, response_count }: Survey) {
  return { status, version, response_count }
}

function modelFacts({ status, versions, limit, responses }: Model) {
  return { status, version: versions.length, response_count: limit === null ? null : responses.length }
}
