import type { KnownBlock } from '@slack/types'
import { breakLinks } from './links.ts'
import type { Message } from './message.ts'
import { shorten } from './shorten.ts'

/** Of a text object, and of one field (docs.slack.dev, "Section block"). */
const MAX_TEXT = 3_000
const MAX_FIELD = 2_000
const MAX_FIELDS = 10

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export interface SlackMessage {
  /** For notifications, and for services that accept Slack's messages but do not know blocks. */
  text: string
  blocks: KnownBlock[]
}

/** Writes a message in Slack's Block Kit. Strangers' words are plain text there, which has no markup and no mentions. */
export function toSlack({ title, note, text, fields, link, commands }: Message): SlackMessage {
  const open = `<${escapeSlack(link.url)}|${link.label}>`
  const lines = fields.map(({ label, value }) => `${label}: ${shorten(value, MAX_FIELD, escapeMentions)}`)
  const blocks: KnownBlock[] = [
    { type: 'header', text: { type: 'plain_text', text: title } },
    ...(note === null ? [] : [plainSection(note)]),
    ...(text === null ? [] : [plainSection(shorten(text, MAX_TEXT, escapeSlack))]),
    ...(fields.length === 0 ? [] : [fieldsSection(fields)]),
    { type: 'section', text: { type: 'mrkdwn', text: open } },
    ...(commands.length === 0 ? [] : [commandsContext(commands)]),
  ]
  const words = text === null ? [] : [shorten(text, MAX_TEXT, escapeMentions)]
  return { text: [title, ...(note === null ? [] : [note]), ...words, ...lines, open].join('\n'), blocks }
}

function plainSection(text: string): KnownBlock {
  return { type: 'section', text: { type: 'plain_text', text, emoji: false } }
}

function fieldsSection(fields: Message['fields']): KnownBlock {
  const shown = fields.slice(0, MAX_FIELDS)
  return {
    type: 'section',
    fields: shown.map(({ label, value }) => ({
      type: 'plain_text',
      text: `${label}\n${shorten(value, MAX_FIELD - label.length - 1, escapeSlack)}`,
      emoji: false,
    })),
  }
}

function commandsContext(commands: readonly string[]): KnownBlock {
  return { type: 'context', elements: commands.map((command) => ({ type: 'mrkdwn', text: `\`${command}\`` })) }
}

function escapeSlack(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? '')
}

/** Mattermost and Rocket.Chat read `text` as Markdown, and `@all` as a mention, which a space without width ends. */
function escapeMentions(text: string): string {
  return breakLinks(escapeSlack(text)).replaceAll('@', '@\u200b')
}
