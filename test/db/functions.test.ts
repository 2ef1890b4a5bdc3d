import { readFileSync } from 'node:fs'
import { eventTypes, mailData, monthlyQuotas, plans } from '@earshot/contracts'
import { jobs } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { FUNCTIONS_VERSION_PATH, functionsVersion } from './functions-version.ts'

/**
 * Every SQL function, by its reason to be one. Everything else is a transaction in TypeScript: a function that is added here
 * needs one of these reasons, as ARCHITECTURE.md says.
 */
const functions = {
  'needs the rights of another role': [
    'enqueue_job',
    'ensure_partitions',
    'free_jobs',
    'queue_depths',
    'queue_mail',
    'ready_jobs',
    'revoke_consent',
    'stored_deliveries',
    'wake_workers',
  ],
  'is shared by several writes': [
    'add_key_routes',
    'admit_records',
    'charge_stripe',
    'consume_quota',
    'count_public_submission',
    'count_request',
    'emit_and_claim',
    'emit_event',
    'emit_events',
    'end_reused_credential',
    'event_body',
    'discard_video_blobs',
    'feed_position_at',
    'iso_timestamp',
    'keep_author_image',
    'keep_logo_image',
    'keep_submission_metadata',
    'keep_submission_tags',
    'move_invitation_route',
    'note_response_changes',
    'note_submission_changes',
    'note_submission_feed',
    'note_tag_changes',
    'record_audit',
    'record_audit_in_teams',
    'remove_key_routes',
    'submission_payload',
    'testimonial_payload',
    'testimonial_payload_from',
    'team_has_feature',
    'uuid_at',
  ],
  'compares texts for the index and for every search': ['search_fold'],
  'is a hot path with a row in the bench': [
    'access_without_team',
    'create_submissions',
    'moderate_submission',
    'moderate_submissions',
    'number_events',
    'number_submission_feed',
    'public_access',
    'receive_submissions',
    'record_violation',
    'rotate_refresh_token',
    'store_responses',
    'store_submissions',
    'surveys_to_answer',
  ],
}

interface SqlFunction {
  name: string
  /** Whether it runs with the rights of its owner. */
  isDefiner: boolean
  body: string
}

let store: TestDatabase
let stored: SqlFunction[]
beforeAll(async () => {
  store = await openTestDatabase()
  stored = await store.database.run<SqlFunction>(
    `select proname as name, prosecdef as "isDefiner", prosrc as body
       from pg_proc
      where pronamespace = 'public'::regnamespace
      order by proname`,
    [],
  )
})
afterAll(() => store.close())

test('every SQL function has a reason to be one', () => {
  expect(stored.map(({ name }) => name)).toEqual(Object.values(functions).flat().toSorted())
})

test('a function that needs the rights of another role runs with them', () => {
  const definers = stored.flatMap(({ name, isDefiner }) => (isDefiner ? [name] : []))
  expect(definers).toEqual(expect.arrayContaining(functions['needs the rights of another role']))
})

test('no SQL function says what an error is: the table of errors stands in TypeScript', () => {
  for (const { name, body } of stored) expect(body, name).not.toMatch(/\braise\b/)
})

test('SQL names events, jobs, quotas and features as TypeScript does', () => {
  expect(eventTypes).toEqual(expect.arrayContaining(namesIn(/emit_events?\([^;]*?'([a-z_]+(?:\.[a-z_]+)+)'/g)))
  expect(Object.keys(jobs)).toEqual(expect.arrayContaining(namesIn(/(?:add_job|enqueue_job)\(\s*'(\w+)'/g)))
  expect(monthlyQuotas).toEqual(expect.arrayContaining(namesIn(/(?:consume_quotas?|admit_records)\([^;]*?'(\w+)'/g)))
  expect(plans.business.features).toEqual(expect.arrayContaining(namesIn(/team_has_feature\([^;]*?'(\w+)'/g)))
})

test('the event of a moderation is an event for both decisions', () => {
  const [prefix] = namesIn(/emit_events?\([^;]*?'([a-z]+\.)'/g)
  expect(eventTypes).toEqual(expect.arrayContaining([`${prefix}approved`, `${prefix}rejected`]))
})

test('no SQL function names a mail', () => {
  for (const { name, body } of stored) {
    for (const template of Object.keys(mailData)) expect(body, name).not.toContain(`'${template}'`)
  }
})

test('the functions and plans are those of the version that stands beside them', async () => {
  const committed = readFileSync(new URL(`../../${FUNCTIONS_VERSION_PATH}`, import.meta.url), 'utf8')
  expect(await functionsVersion(), 'run "npm run generate" and commit it').toBe(committed)
})

/** Returns what a pattern captures in the bodies of all functions. Throws when it captures nothing, which would prove nothing. */
function namesIn(pattern: RegExp): string[] {
  const names = stored.flatMap(({ body }) => [...body.matchAll(pattern)].map(([, name = '']) => name))
  expect(names).not.toEqual([])
  return names
}
