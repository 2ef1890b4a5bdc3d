import { readFileSync } from 'node:fs'
import { type ChatMessage, chatMessages, contracts, eventTypes, isOperation, type OperationTree, TEST_EVENT } from '@earshot/contracts'
import { describe, expect, test } from 'vitest'
import { messageOf } from '../../jobs/src/sending/chat/message.ts'
import { renderChatBody } from '../../jobs/src/sending/chat/render.ts'
import { discordProblems, slackProblems, teamsProblems, wordsOf } from './chat-rules.ts'

const BASE_URL = 'https://feedback.example'
const EXAMPLES = new URL('../../server/src/webhooks/event-examples.json', import.meta.url)
const examples: Record<string, Example> = JSON.parse(readFileSync(EXAMPLES, 'utf8'))
const problemsIn = { slack: slackProblems, discord: discordProblems, teams: teamsProblems }
const CHATS = ['slack', 'discord', 'teams'] as const
type Chat = (typeof CHATS)[number]

interface Example {
  id: string
  type: string
  api_version: string
  created_at: string
  team_id: string
  project_id: string | null
  data: Record<string, Record<string, unknown>>
}

const created = examples['submission.created'] as Example
const tested: Example = {
  ...created,
  ...{ type: TEST_EVENT, project_id: null },
  data: { endpoint: { id: '01a2131f-0667-7f7a-91c0-0306bf5ce444', url: 'https://hooks.slack.com/services/T0/B0/secret' } },
}
const events = { ...examples, [TEST_EVENT]: tested }

const render = (format: Chat, event: object) => JSON.parse(renderChatBody(format, JSON.stringify(event), BASE_URL))

/** A submission that says and is by what is given. */
function submission(changes: object): Example {
  return { ...created, data: { submission: { ...created.data.submission, ...changes } } }
}

test('there is a message for each type of event, and for the test', () => {
  expect(Object.keys(events).sort()).toEqual([...eventTypes, TEST_EVENT].sort())
  expect(Object.keys(chatMessages).sort()).toEqual([...eventTypes, TEST_EVENT].sort())
})

describe.each(CHATS)('%s', (format) => {
  test.each(Object.entries(events))('takes the message of %s, with a link and without e-mail addresses', (type, event) => {
    const message = render(format, event)
    expect(problemsIn[format](message)).toEqual([])
    const text = JSON.stringify(message)
    expect(text).toContain(chatMessages[type as keyof typeof chatMessages].title)
    expect(text).toContain(`${BASE_URL}/api/v1/teams/${event.team_id}/`)
    expect(text).not.toMatch(/@example\.com|undefined|null-|\[object|hooks\.slack\.com/)
  })

  test('takes a plain message of a type that is newer than this worker', () => {
    const message = render(format, { ...created, type: 'widget.seen', data: { widget: { id: 'w' } } })
    expect(problemsIn[format](message)).toEqual([])
    expect(wordsOf(format, message)).toContain('widget.seen')
    expect(JSON.stringify(message)).toContain(`${BASE_URL}/api/v1/teams/${created.team_id}/events/`)
  })

  test.each<[string, object]>([
    ['no author', { author: null }],
    ['an author without a name', { author: { name: null, email: null, title: null, company: null } }],
    ['no text, no title and no rating', { body: '', title: null, rating: null }],
    ['only control characters', { body: '\u0000\u0007\u001b\u200b', author: { name: '\u0001' } }],
    ['a text of ten thousand characters', { body: 'x'.repeat(10_000) }],
    ['a text that is all markup', { body: '&<>*_`~|[]()'.repeat(800), title: '<>&*_'.repeat(40), author: { name: '`*_'.repeat(66) } }],
    ['a text of emoji', { body: '👩‍👩‍👧‍👦'.repeat(900), author: { name: '🏴󠁧󠁢󠁥󠁮󠁧󠁿'.repeat(14) } }],
    [
      'a text of ideographs',
      {
        body: '語'.repeat(10_000),
        title: '語'.repeat(200),
        author: { name: '語'.repeat(200), title: '語'.repeat(200), company: '語'.repeat(200) },
      },
    ],
    ['one letter with ten thousand accents', { body: `e${'\u0301'.repeat(9_999)}` }],
    ['ten thousand lines', { body: 'a\n'.repeat(5_000) }],
    ['quotes and backslashes', { body: '"\\'.repeat(5_000) }],
  ])('takes %s', (_what, changes) => {
    expect(problemsIn[format](render(format, submission(changes)))).toEqual([])
  })

  test('takes the longest values that a record can have', () => {
    const long = (length: number) => '&'.repeat(length)
    const author = { name: long(200), email: 'ada@example.com', title: long(200), company: long(200) }
    const moderation = { by: null, at: null, reason: long(500) }
    const event = { ...submission({ body: long(10_000), title: long(200), author, moderation }), type: 'submission.rejected' }
    expect(problemsIn[format](render(format, event))).toEqual([])
  })

  test('shows what people wrote as they typed it', () => {
    const body =
      '<!channel> <@U1> @everyone @here <#C1> <https://evil.example|our bank> [our bank](https://evil.example) **b** _i_ `c` > q\n# h\n- l\n1. n\n> q <t:1763632800:R> <@123456789012345678> ||s||'
    const message = render(format, submission({ body, author: { name: '*Ada* <@U2>' } }))
    const words = wordsOf(format, message)
    for (const line of body.split('\n')) expect(words).toContain(line)
    expect(words).toContain('*Ada* <@U2>')
  })

  test('keeps every script, and no character that turns the direction of what follows', () => {
    const body = 'שלום עולם · مرحبا · \u202egnp.exe\u202c · \u2067x\u2069'
    const words = wordsOf(format, render(format, submission({ body })))
    expect(words).toContain('שלום עולם · مرحبا · gnp.exe · x')
  })

  test('cuts between two characters as people see them, with an ellipsis', () => {
    const family = '👩‍👩‍👧‍👦'
    const words = wordsOf(format, render(format, submission({ body: family.repeat(1_000) })))
    const shown = words.split('\n').find((line) => line.startsWith(family)) ?? ''
    expect(shown.endsWith('…')).toBe(true)
    expect(shown.slice(0, -1).replaceAll(family, '')).toBe('')
    expect(shown.length).toBeGreaterThan(2_500)
  })
})

test('a message of Discord keeps to the limit of its whole, however long the links are', () => {
  const long = '*'.repeat(200)
  const event = submission({ body: 'x'.repeat(10_000), title: long, author: { name: long, title: long, company: long } })
  const baseUrl = `https://${'feedback.'.repeat(50)}example`
  expect(discordProblems(JSON.parse(renderChatBody('discord', JSON.stringify(event), baseUrl)))).toEqual([])
})

test('nobody is notified in Discord, nor by services that read the text of Slack’s message', () => {
  const event = submission({ body: '@everyone @all <!channel>' })
  expect(render('discord', event).allowed_mentions).toEqual({ parse: [] })
  expect(render('slack', event).text).toContain('@\u200beveryone @\u200ball &lt;!channel&gt;')
})

test('of a survey response, only the answers in words are shown', () => {
  const { response } = (examples['nps.low_score'] as Example).data
  const answers = [
    { type: 'nps', value: 3, question_id: 'a' },
    { type: 'long_text', value: 'Too slow.', question_id: 'b' },
    { type: 'email', value: 'ada@example.com', question_id: 'c' },
    { type: 'single_choice', value: 'choice_1', question_id: 'd' },
    { type: 'short_text', value: 'Sorry!', question_id: 'e' },
    { type: 'long_text', value: null, question_id: 'f' },
  ]
  const event = { ...(examples['nps.low_score'] as Example), type: 'nps.low_score' as const, data: { response: { ...response, answers } } }
  const { text, fields } = messageOf(event, BASE_URL)
  expect(text).toBe('Too slow.\n\nSorry!')
  expect(fields).toEqual([
    { label: 'NPS score', value: '3' },
    { label: 'Respondent', value: 'Ada Lovelace' },
  ])
})

test('the commands of a message name operations with the same path', () => {
  for (const { decisions = [], link } of Object.values<ChatMessage>(chatMessages)) {
    for (const name of decisions) {
      const found = name.split('.').reduce<OperationTree>((tree, part) => tree[part] as OperationTree, contracts)
      const idsOf = (path: string) => path.match(/\{\w+\}/g)?.slice(0, -1)
      expect(isOperation(found) && idsOf(found.path)).toEqual(idsOf(link.path))
    }
  }
})
