import { breakLinks } from './links.ts'
import type { Message } from './message.ts'
import { shorten } from './shorten.ts'

/** The message may have 28 KB, and a character takes three bytes at most per UTF-16 unit. */
const MAX_TEXT = 5_000
const MAX_VALUE = 256
const MAX_PARAGRAPHS = 30

interface TextRun {
  type: 'TextRun'
  text: string
  weight?: 'Bolder'
  fontType?: 'Monospace'
}

/**
 * Writes a message as an Adaptive Card. Strangers' words are text runs, which have no Markdown (learn.microsoft.com, "Text features").
 * A client that would read it all the same still shows no link.
 */
export function toTeams({ title, note, text, fields, link, commands }: Message) {
  const words = text === null ? [] : paragraphsOf(shorten(text, MAX_TEXT, breakLinks))
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            { type: 'TextBlock', text: title, size: 'Large', weight: 'Bolder', wrap: true },
            ...(note === null ? [] : [{ type: 'TextBlock', text: note, isSubtle: true, wrap: true }]),
            ...words.map((paragraph) => richText({ type: 'TextRun', text: paragraph })),
            ...fields.map(({ label, value }) =>
              richText(
                { type: 'TextRun', text: `${label}: `, weight: 'Bolder' },
                { type: 'TextRun', text: shorten(value, MAX_VALUE, breakLinks) },
              ),
            ),
            ...commands.map((command) => richText({ type: 'TextRun', text: command, fontType: 'Monospace' })),
          ],
          actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }],
        },
      },
    ],
  }
}

function richText(...inlines: TextRun[]) {
  return { type: 'RichTextBlock', inlines }
}

/** A text run does not break lines, so each line is a block; the last one takes what is left of a text of many lines. */
function paragraphsOf(text: string): string[] {
  const lines = text.split(/\n+/).filter((line) => line.trim() !== '')
  const rest = lines.slice(MAX_PARAGRAPHS - 1).join(' ')
  return [...lines.slice(0, MAX_PARAGRAPHS - 1), ...(rest === '' ? [] : [rest])]
}
