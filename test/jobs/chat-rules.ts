import { createRequire } from 'node:module'
import { EmbedBuilder, embedLength } from '@discordjs/builders'
import type { KnownBlock, PlainTextElement } from '@slack/types'
import type { APIEmbed, RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10'
import { parse } from 'discord-markdown-parser'

// The package's entry is for bundlers. Its bundle has the same exports.
const cards = createRequire(import.meta.url)('adaptivecards/dist/adaptivecards.js') as typeof import('adaptivecards')

/** docs.slack.dev, "Section block", "Header block", "Context block". No package checks these limits. */
const SLACK = { blocks: 50, header: 150, text: 3_000, fields: 10, field: 2_000, elements: 10, fallback: 40_000 }
const DISCORD_EMBED = 6_000
/** What the parser of Discord's Markdown finds in words: emoji are parts of them. */
const PLAIN = new Set(['text', 'br', 'twemoji'])
const TEAMS_BYTES = 28 * 1024
/** Slack's escapes, and nothing else that begins with a control character. */
const UNESCAPED = /&(?!amp;|lt;|gt;)|[<>]/

export interface SlackBody {
  text: string
  blocks: KnownBlock[]
}

interface TeamsBody {
  type: string
  attachments: { contentType: string; content: object }[]
}

/** Returns what Slack would refuse in a message, by its documentation, and markup that is not ours. */
export function slackProblems({ text, blocks }: SlackBody): string[] {
  const problems = blocks.flatMap(blockProblems)
  if (blocks.length > SLACK.blocks) problems.push('too many blocks')
  if (text.length === 0 || text.length > SLACK.fallback) problems.push('text has a wrong length')
  return problems
}

function blockProblems(block: KnownBlock): string[] {
  if (block.type === 'header') return lengthProblems(block.text.text, SLACK.header)
  if (block.type === 'context') {
    const texts = block.elements.map((element) => ('text' in element ? element.text : ''))
    return [...(texts.length > SLACK.elements ? ['too many elements'] : []), ...texts.flatMap((text) => lengthProblems(text, SLACK.text))]
  }
  if (block.type !== 'section') return [`an unexpected block ${block.type}`]
  const { text, fields = [] } = block
  if (!text && fields.length === 0) return ['a section without text and fields']
  if (fields.length > SLACK.fields) return ['too many fields']
  const own = text?.type === 'mrkdwn' ? [] : plainTexts(text ? [text] : [])
  return [
    ...lengthProblems(text?.text ?? 'x', SLACK.text),
    ...fields.flatMap((field) => lengthProblems(field.text, SLACK.field)),
    ...[...own, ...plainTexts(fields)].filter((plain) => UNESCAPED.test(plain)).map((plain) => `not escaped: ${plain.slice(0, 40)}`),
  ]
}

/** Strangers' words are in texts of this type alone. */
function plainTexts(texts: readonly { type: string; text: string }[]): string[] {
  return texts.map((text) => {
    if (text.type !== 'plain_text') throw new Error(`${text.type} instead of plain text`)
    return (text satisfies { text: PlainTextElement['text'] }).text
  })
}

function lengthProblems(text: string, max: number): string[] {
  return text.length === 0 || text.length > max ? [`a text of ${text.length} characters, where 1 to ${max} are allowed`] : []
}

/** Returns what Discord would refuse in a message, as the builders of discord.js check it. */
export function discordProblems({ embeds = [], allowed_mentions }: RESTPostAPIWebhookWithTokenJSONBody): string[] {
  const problems = embeds.flatMap((embed) => {
    try {
      return embedLength(buildEmbed(embed).toJSON()) > DISCORD_EMBED ? ['the embed is too long'] : []
    } catch (error) {
      return [String(error)]
    }
  })
  problems.push(...embeds.flatMap(markupIn))
  return [...problems, ...(embeds.length === 1 ? [] : ['not one embed']), ...(allowed_mentions?.parse?.length === 0 ? [] : ['mentions'])]
}

function buildEmbed({ title, description, fields = [], timestamp = '' }: APIEmbed): EmbedBuilder {
  return new EmbedBuilder()
    .setTitle(title ?? null)
    .setDescription(description ?? null)
    .addFields(...fields)
    .setTimestamp(new Date(timestamp))
}

/** Returns what is wrong with a card, as Microsoft's own parser reads it, and with the size of the message. */
export function teamsProblems(message: TeamsBody): string[] {
  const [{ contentType = '', content = {} } = {}] = message.attachments
  const context = new cards.SerializationContext(cards.Versions.v1_4)
  const card = new cards.AdaptiveCard()
  card.parse(content, context)
  const events = Array.from({ length: context.eventCount }, (_none, index) => context.getEventAt(index).message)
  const invalid = card.validateProperties().validationEvents.map((event) => event.message)
  const isWhole = JSON.stringify(sorted(card.toJSON())) === JSON.stringify(sorted(content))
  const problems = [...events, ...invalid, ...(isWhole ? [] : ['the card has properties that the parser does not know'])]
  const bytes = Buffer.byteLength(JSON.stringify(message))
  if (bytes > TEAMS_BYTES) problems.push(`${bytes} bytes`)
  if (message.type !== 'message' || contentType !== 'application/vnd.microsoft.card.adaptive') problems.push('not a message with a card')
  return problems
}

/** Sorts the keys, which have no order in JSON. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  )
}

/** Returns the words of a message as people see them: each format's escapes undone. */
export function wordsOf(
  format: 'slack' | 'discord' | 'teams',
  message: SlackBody & RESTPostAPIWebhookWithTokenJSONBody & TeamsBody,
): string {
  return { slack: slackWords, discord: discordWords, teams: teamsWords }[format](message)
}

function slackWords({ blocks }: SlackBody): string {
  const texts = blocks.flatMap((block) => (block.type === 'section' ? [block.text, ...(block.fields ?? [])] : []))
  const undone = texts.map((text) => (text?.text ?? '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
  return undone.join('\n')
}

function discordWords({ embeds = [] }: RESTPostAPIWebhookWithTokenJSONBody): string {
  return embeds
    .flatMap(strangersTexts)
    .map((text) => textIn(parse(text, 'extended')))
    .join('\n')
}

/** The texts of an embed in which strangers' words can be: all but the title and the field with the link. */
function strangersTexts({ description = '', fields = [] }: APIEmbed): string[] {
  return [description, ...fields.slice(0, -1).map(({ value }) => value)]
}

/** The kinds of Markdown that Discord would show in strangers' words. */
function markupIn(embed: APIEmbed): string[] {
  return strangersTexts(embed)
    .flatMap((text) => parse(text, 'extended'))
    .flatMap(({ type }) => (PLAIN.has(type) ? [] : [`markup: ${type}`]))
}

function textIn(nodes: ReturnType<typeof parse>): string {
  return nodes.map(({ type, content, name }) => (type === 'br' ? '\n' : String(content ?? name))).join('')
}

function teamsWords({ attachments }: TeamsBody): string {
  const texts = JSON.stringify(attachments).matchAll(/"text":("(?:[^"\\]|\\.)*")/g)
  return Array.from(texts, ([, text = '""']) => String(JSON.parse(text)).replaceAll('\u200b', '')).join('\n')
}
