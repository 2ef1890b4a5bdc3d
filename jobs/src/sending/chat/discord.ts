import type { RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10'
import type { Message } from './message.ts'
import { shorten } from './shorten.ts'

/** docs.discord.com, "Embed limits". */
const MAX_DESCRIPTION = 4_096
const MAX_FIELD = 1_024
const MAX_EMBED = 6_000
/** Short values leave room for the description. */
const MAX_VALUE = 256

/** A backslash before any of these is not shown. Also the ends of numbers at the start of a line: they make lists. */
const MARKDOWN = /[\\*_~`|<>[\]()#:@+-]|(?<=^\s*\d+)\./gm

/** Writes a message as an embed of Discord. Nobody is notified by it, whatever it says. */
export function toDiscord({ title, note, text, fields, link, commands, created_at }: Message): RESTPostAPIWebhookWithTokenJSONBody {
  const values = fields.map(({ label, value }) => ({ name: label, value: shorten(value, MAX_VALUE, escapeMarkdown), inline: true }))
  const open = [`[${link.label}](${link.url})`, ...commands.map((command) => `\`${command}\``)].join('\n')
  const shown = [...values, { name: commands.length > 0 ? 'Decide' : 'Read', value: shorten(open, MAX_FIELD) }]
  const rest = title.length + (note?.length ?? 0) + shown.reduce((length, { name, value }) => length + name.length + value.length, 0)
  const words = text === null ? [] : [shorten(text, Math.min(MAX_DESCRIPTION, MAX_EMBED - rest) - (note?.length ?? 0) - 2, escapeMarkdown)]
  const description = [...(note === null ? [] : [note]), ...words].join('\n\n')
  return {
    embeds: [{ title, ...(description !== '' && { description }), fields: shown, timestamp: created_at }],
    allowed_mentions: { parse: [] },
  }
}

function escapeMarkdown(text: string): string {
  return text.replace(MARKDOWN, String.raw`\$&`)
}
