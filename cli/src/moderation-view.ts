import wrapAnsi from 'wrap-ansi'
import { ageOf } from './age.ts'
import { lineOf, type Prompt } from './moderation-prompt.ts'
import type { ModerationQueue, QueuedSubmission } from './moderation-queue.ts'
import type { Paint } from './paint.ts'
import { cut, oneLine, printable } from './printable.ts'

const KEYS = 'a approve · r reject · s skip · z undo · t tags · o open · ? help · q quit'
const SHORT_KEYS = 'a r s z t o · ? help · q quit'

const HELP = [
  'a        approve',
  'r        reject, with a reason for your team if you like',
  's        skip; S shows what was skipped',
  'z        undo the last decision, until it is sent',
  't        set the tags',
  'o        open it on the dashboard',
  '↑ ↓      scroll a long text',
  'q        send what is decided, and quit',
  '',
  'A decision is sent after five seconds. What somebody else decided meanwhile is shown, and never overwritten.',
]

/** Questions and messages that are longer are cut. */
const MAX_LINES = 5
const TAB = '    '

/** What is on the screen beside the queue. */
export interface ViewState {
  project: string
  /** The submission on the screen since it was last drawn: keys are about this one. */
  shown: QueuedSubmission | null
  /** What happened last. */
  message: string
  prompt: Prompt | null
  isHelpShown: boolean
  /** Lines of the text above the screen. */
  scroll: number
}

interface Size {
  columns: number
  rows: number
}

/** Returns the lines of the screen, and notes what is on it. */
export function view(queue: ModerationQueue, state: ViewState, { columns, rows, paint }: Size & { paint: Paint }): string[] {
  show(queue.current(), state)
  const rule = paint('dim', '─'.repeat(columns))
  const head = [cut(headOf(queue, state), columns), rule]
  const foot = [rule, ...footOf(state, columns)]
  const content = state.shown ? linesOf(state.shown, columns, paint) : emptyOf(queue)
  const body = (state.isHelpShown ? HELP : content).flatMap((line) => wrap(line, columns))
  const room = Math.max(1, rows - head.length - foot.length)
  state.scroll = Math.min(state.scroll, Math.max(0, body.length - room))
  const lines = body.slice(state.scroll, state.scroll + room)
  return [...head, ...lines, ...Array<string>(room - lines.length).fill(''), ...foot]
}

/** Another submission is read from its start. */
function show(entry: QueuedSubmission | null, state: ViewState): void {
  if (state.shown !== entry) state.scroll = 0
  state.shown = entry
}

function wrap(line: string, columns: number): string[] {
  return wrapAnsi(line, columns, { hard: true, trim: false }).split('\n')
}

function headOf(queue: ModerationQueue, { project }: ViewState): string {
  const unsent = queue.unsent().length
  const { approved, rejected } = queue.counts
  const parts = [`${countOf(queue)} pending`, ...(unsent > 0 ? [`${unsent} to send`] : []), `${approved} approved`, `${rejected} rejected`]
  return `${oneLine(project)}: ${parts.join(' · ')}`
}

/** Returns how many submissions wait for a decision: `50+` while there are more that are not here yet. */
export function countOf(queue: ModerationQueue): string {
  return `${queue.undecided().length}${queue.isWhole ? '' : '+'}`
}

function footOf({ prompt, message }: ViewState, columns: number): string[] {
  const keys = KEYS.length <= columns ? KEYS : SHORT_KEYS
  const top = prompt ? [...firstLines(prompt.question, columns), lineOf(prompt.answer, columns)] : [cut(keys, columns)]
  return message ? [...top, ...firstLines(message, columns)] : top
}

function firstLines(text: string, columns: number): string[] {
  return wrapAnsi(oneLine(text), columns, { hard: true }).split('\n').slice(0, MAX_LINES)
}

function emptyOf(queue: ModerationQueue): string[] {
  if (!queue.isWhole) return ['', 'Reading more submissions…']
  const skipped = queue.undecided().length
  if (skipped > 0) return ['', `Nothing else is pending. ${skipped} skipped: press S to see them again.`]
  return ['', 'Nothing is pending. New submissions appear here by themselves.']
}

function linesOf({ submission, isGone }: QueuedSubmission, columns: number, paint: Paint): string[] {
  const { author, rating, kind, channel, created_at, title, body, tags, consent, video_id, language } = submission
  const who = [author.name, author.title, author.company].flatMap((part) => part || []).map(oneLine)
  const stars = rating === null ? '' : `${'★'.repeat(rating)}${'☆'.repeat(5 - rating)}  `
  const facts = [kind, `through ${channel}`, `${ageOf(created_at)} ago`, ...(language ? [language] : [])]
  return [
    ...(isGone ? [paint('yellow', 'No longer pending. Press s for the next.'), ''] : []),
    `${stars}${cut(who.join(', '), columns)}`,
    paint('dim', facts.join(' · ')),
    '',
    ...(title ? [oneLine(title), ''] : []),
    ...printable(body).replaceAll('\t', TAB).split('\n'),
    '',
    consent.granted && !consent.revoked_at ? 'May be published.' : paint('yellow', 'May not be published: there is no consent.'),
    ...(video_id ? [`Video: ${video_id}`] : []),
    ...(tags.length > 0 ? [`Tags: ${tags.map(oneLine).join(', ')}`] : []),
  ]
}
