import { type ChatMessage, chatMessages, type DeliveredEvent, newerChatMessage } from '@earshot/contracts'

/** Not in words: control characters, and those that turn the direction of what follows (UAX #9). */
const CONTROLS = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu
const TEXT_ANSWERS = new Set<unknown>(['short_text', 'long_text'])
const STARS = 5

/** A message that no vendor's notation is applied to yet. The title and the note are ours, the rest may be a stranger's words. */
export interface Message {
  title: string
  note: string | null
  text: string | null
  fields: { label: string; value: string }[]
  link: { label: string; url: string }
  /** Commands by which a person decides. */
  commands: string[]
  created_at: string
}

/** The parts of an event that every type has. */
type AnyEvent = Pick<DeliveredEvent, 'created_at' | 'team_id' | 'project_id'> & { type: string; data: object }

/** Returns what people read of an event in their chat. A type that this version does not know has a plain message. */
export function messageOf(event: AnyEvent, baseUrl: string): Message {
  const message = isKnown(event.type) ? chatMessages[event.type] : newerChatMessage
  const fields = message.fields.flatMap(({ label, from, as }) => {
    const value = toLine(show(valueAt(event.data, from), as))
    return value === '' ? [] : [{ label, value }]
  })
  const { text, note = null, title, link } = message
  const words = text === undefined ? '' : toWords(show(valueAt(event.data, text)))
  return {
    ...{ title, note, created_at: event.created_at },
    text: words === '' ? null : words,
    fields: isKnown(event.type) ? fields : [{ label: 'Type', value: toLine(event.type) }],
    link: { label: link.label, url: baseUrl + fillPath(message, event) },
    commands: (message.decisions ?? []).map((operation) => commandOf(operation, message, event)),
  }
}

function isKnown(type: string): type is keyof typeof chatMessages {
  return Object.hasOwn(chatMessages, type)
}

/** Returns the value at a dotted path; undefined where the path ends early, as at a null author. */
function valueAt(data: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), data)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function show(value: unknown, as?: 'stars' | 'seconds' | 'day'): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.flatMap(showItem).join('\n\n')
  if (as === 'stars') return '★'.repeat(Math.min(Math.max(Number(value), 0), STARS)).padEnd(STARS, '☆')
  if (as === 'seconds') return `${Math.round(Number(value) / 1000)} s`
  return as === 'day' ? String(value).slice(0, 10) : String(value)
}

/** Of the answers to a survey, those in words. */
function showItem(item: unknown): string[] {
  if (!isRecord(item)) return [String(item)]
  return TEXT_ANSWERS.has(item.type) && typeof item.value === 'string' ? [item.value] : []
}

function toWords(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROLS, '').toWellFormed().trim()
}

function toLine(text: string): string {
  return toWords(text).replace(/\s+/g, ' ')
}

/** The address of a record. It is the one of the API: there is no other place yet that shows a record. */
function fillPath({ link, ids }: ChatMessage, event: AnyEvent): string {
  return link.path.replace(/\{(\w+)\}/g, (_field, name: string) => encodeURIComponent(idAt(name, ids, event)))
}

/** The command line names the last id of a path by its place, and the others by flags. */
function commandOf(operation: string, { link, ids }: ChatMessage, event: AnyEvent): string {
  const names = [...link.path.matchAll(/\{(\w+)_id\}/g)].map(([, name = '']) => name)
  const [last = '', ...others] = names.reverse()
  const flags = others.map((name) => `--${name} ${idAt(`${name}_id`, ids, event)}`)
  return ['earshot', ...operation.split('.'), idAt(`${last}_id`, ids, event), ...flags].join(' ')
}

function idAt(name: string, ids: ChatMessage['ids'], event: AnyEvent): string {
  const path = ids[name]
  if (path !== undefined) return String(valueAt(event.data, path))
  return String(name === 'team_id' ? event.team_id : event.project_id)
}
