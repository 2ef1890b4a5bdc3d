import wrapAnsi from 'wrap-ansi'
import { ageOf } from './age.ts'
import type { ModerationQueue, QueuedSubmission } from './moderation-queue.ts'
import type { Paint } from './paint.ts'
import { cut, oneLine, printable } from './printable.ts'

const KEYS = 'a approve · r reject · s skip · z undo · t tags · o open · ? help · q quit'
const SHORT_KEYS = 'a r s z t o · ? help · q quit'

const HELP = [
  'a        approve',
  'r        reject, with a reason for your team if you like',
  's        skip; S shows what was skipped',
  'z        take the last decision back, until it is sent',
  't        set the tags',
  'o        open its page in the browser',
  '↑ ↓      scroll a long text',
  'q        send what is decided, and quit',
  '',
  'A decision is sent after five seconds. What somebody else decided meanwhile is shown, and never overwritten.',
]

/** A message that is longer is cut. */
const MESSAGE_LINES = 3

/** What is on the screen beside the queue. */
export interface ViewState {
  project: string
  /** What happened last. */
  message: string
  /** A question with the answer so far; null when none is asked. */
  prompt: { question: string; answer: string } | null
  isHelpShown: boolean
  /** Lines of the text above the screen. */
  scroll: number
}

/** Returns the lines of the screen. */
export function viewOf(
  queue: ModerationQueue,
  state: ViewState,
  { columns, rows, paint }: { columns: number; rows: number; paint: Paint },
): string[] {
  const rule = paint('dim', '─'.repeat(columns))
  const head = [cut(headOf(queue, state), columns), rule]
  const message = wrap(oneLine(state.message), columns).slice(0, MESSAGE_LINES)
  const foot = [rule, cut(footOf(state, columns), columns), ...(state.message ? message : [])]
  const room = Math.max(1, rows - head.length - foot.length)
  const entry = queue.current()
  const content = entry ? linesOf(entry, columns, paint) : emptyOf(queue)
  const body = state.isHelpShown ? HELP : content
  const wrapped = body.flatMap((line) => wrap(line, columns))
  const start = Math.min(state.scroll, Math.max(0, wrapped.length - room))
  const shown = wrapped.slice(start, start + room)
  const filled = [...shown, ...Array<string>(Math.max(0, room - shown.length)).fill('')]
  return [...head, ...filled, ...foot]
}

function wrap(line: string, columns: number): string[] {
  return wrapAnsi(line, columns, { hard: true, trim: false }).split('\n')
}

function headOf(queue: ModerationQueue, { project }: ViewState): string {
  const { undecided, unsent } = queue.waiting()
  const { approved, rejected } = queue.counts
  const parts = [`${undecided} pending`, ...(unsent > 0 ? [`${unsent} to send`] : []), `${approved} approved`, `${rejected} rejected`]
  return `${oneLine(project)}: ${parts.join(' · ')}`
}

function footOf({ prompt }: ViewState, columns: number): string {
  if (prompt) return `${prompt.question} ${printable(prompt.answer)}▏`
  return KEYS.length <= columns ? KEYS : SHORT_KEYS
}

function emptyOf(queue: ModerationQueue): string[] {
  const { undecided } = queue.waiting()
  if (undecided > 0) return ['', `Nothing else is pending. ${undecided} skipped: press S to see them again.`]
  return ['', 'Nothing is pending. New submissions appear here by themselves.']
}

function linesOf({ submission }: QueuedSubmission, columns: number, paint: Paint): string[] {
  const { author, rating, kind, channel, created_at, title, body, tags, consent, video_id, language } = submission
  const who = [author.name, author.title, author.company].flatMap((part) => part || []).map(oneLine)
  const stars = rating === null ? '' : `${'★'.repeat(rating)}${'☆'.repeat(5 - rating)}  `
  const facts = [kind, `through ${channel}`, `${ageOf(created_at)} ago`, ...(language ? [language] : [])]
  return [
    `${stars}${cut(who.join(', '), columns)}`,
    paint('dim', facts.join(' · ')),
    '',
    ...(title ? [oneLine(title), ''] : []),
    ...printable(body).split('\n'),
    '',
    consent.granted && !consent.revoked_at ? 'May be published.' : paint('yellow', 'May not be published: there is no consent.'),
    ...(video_id ? [`Video: ${video_id}`] : []),
    ...(tags.length > 0 ? [`Tags: ${tags.map(oneLine).join(', ')}`] : []),
  ]
}
