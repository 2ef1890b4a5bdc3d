import type { Submission } from '@earshot/contracts'
import type { Client } from '@earshot/contracts/client'
import { accountOf } from './account.ts'
import { openBrowser } from './browser.ts'
import { ModerationQueue } from './moderation-queue.ts'
import { ModerationSync, quoteOf } from './moderation-sync.ts'
import { type ViewState, viewOf } from './moderation-view.ts'
import { painter } from './paint.ts'
import { isPassing } from './passing.ts'
import { printable } from './printable.ts'
import type { PressedKey, Screen } from './screen.ts'
import { connect } from './service.ts'
import { findTeamAndProject } from './team-and-project.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const NOT_REACHABLE = 4
/** The next page is read when so few are left. */
const LOW_WATER = 10
const TICK_MS = 100

export interface ModerateFlags {
  team?: string
  project?: string
  kind?: string
  tag?: string
}

/** A person at the screen. */
interface Moderator {
  client: Client
  place: { team_id: string; project_id: string }
  queue: ModerationQueue
  view: ViewState
  screen: Screen
  terminal: Terminal
  /** What the answer to the question does; null when none is asked. */
  onAnswer: ((answer: string) => void) | null
  /** Ends the conversation, with the error that ends it. */
  end: (error?: unknown) => void
}

/** Shows the pending submissions one after another, and decides on them key by key. Returns the exit code. */
export async function moderate(flags: ModerateFlags, terminal: Terminal): Promise<number> {
  if (!terminal.openScreen)
    throw new UsageError('earshot moderate needs a terminal. In scripts, use: earshot submissions moderate --body @decisions.json')
  const client = connect(terminal)
  const asked = {
    needsTeam: true,
    needsProject: true,
    ...(flags.team && { team: flags.team }),
    ...(flags.project && { project: flags.project }),
  }
  const place = (await findTeamAndProject(client, asked, terminal)) as Moderator['place'] // Both were asked for.
  const { name } = await client.projects.retrieve(place)
  const queue = new ModerationQueue()
  const view: ViewState = { project: name, message: '', prompt: null, isHelpShown: false, scroll: 0 }
  const ending = new AbortController()
  let failure: unknown
  const end = (error?: unknown) => {
    failure ??= error
    ending.abort()
  }
  const tell = (message: string) => {
    view.message = message
  }
  const filters = { ...(flags.kind && { kind: flags.kind as Submission['kind'] }), ...(flags.tag && { tag: flags.tag }) } // The service checks it.
  const sync = new ModerationSync({ client, place, filters, queue, terminal, signal: ending.signal, tell })
  const pages = sync.pages()
  queue.add((await pages.next()).value ?? [])
  {
    using screen = await terminal.openScreen()
    const moderator: Moderator = { client, place, queue, view, screen, terminal, onAnswer: null, end }
    await converse(moderator, { sync, pages, signal: ending.signal })
    tell('Sending what was decided…')
    draw(moderator)
    if (failure === undefined) await sync.flush().catch(end)
  }
  return conclude(queue, terminal, failure)
}

async function converse(
  moderator: Moderator,
  { sync, pages, signal }: { sync: ModerationSync; pages: AsyncGenerator<Submission[], void>; signal: AbortSignal },
): Promise<void> {
  const { queue, screen, terminal, end } = moderator
  screen.onKey((key) => {
    press(moderator, key)
    draw(moderator)
  })
  screen.onResize(() => draw(moderator))
  void sync.follow().catch(end)
  let isWhole = false
  while (!signal.aborted) {
    draw(moderator)
    if (!isWhole && queue.waiting().undecided < LOW_WATER) {
      const page = await pages.next().catch(end)
      isWhole = !page || page.done === true
      queue.add(page?.value ?? [])
    }
    void sync.send().catch(end)
    await terminal.pause(TICK_MS, signal)
  }
}

function draw({ queue, view, screen, terminal }: Moderator): void {
  screen.draw(viewOf(queue, view, { ...screen.size(), paint: painter(terminal) }))
}

function press(moderator: Moderator, key: PressedKey): void {
  if (key.name === 'ctrl-c') moderator.end()
  else if (moderator.onAnswer) answer(moderator, moderator.onAnswer, key)
  // Any key leaves the help.
  else if (moderator.view.isHelpShown) moderator.view.isHelpShown = false
  else (ACTIONS[key.text] ?? ACTIONS[key.name])?.(moderator)
}

/** What each key does, by what it writes or by its name. */
const ACTIONS: Readonly<Record<string, (moderator: Moderator) => void>> = {
  a: ({ queue, view }) => {
    queue.decide('approve', null, performance.now())
    Object.assign(view, { message: '', scroll: 0 })
  },
  r: (moderator) =>
    ask(moderator, 'Reason, for your team (Enter for none, Esc to go back):', '', (reason) =>
      moderator.queue.decide('reject', reason.trim() || null, performance.now()),
    ),
  s: ({ queue, view }) => {
    queue.skip()
    Object.assign(view, { message: '', scroll: 0 })
  },
  S: ({ queue }) => queue.reviewSkipped(),
  z: ({ queue, view }) => {
    const entry = queue.undo()
    view.message = entry
      ? `Taken back: ${quoteOf(entry.submission)}`
      : 'There is nothing to take back: decisions are sent after five seconds.'
  },
  t: (moderator) => {
    const entry = moderator.queue.current()
    if (entry)
      ask(moderator, 'Tags, comma-separated:', entry.submission.tags.join(', '), (text) => void setTags(moderator, entry.submission, text))
  },
  o: (moderator) => void open(moderator),
  q: ({ end }) => end(),
  '?': ({ view }) => {
    view.isHelpShown = true
  },
  down: ({ view }) => {
    view.scroll += 1
  },
  up: ({ view }) => {
    view.scroll = Math.max(0, view.scroll - 1)
  },
}

function ask(moderator: Moderator, question: string, before: string, then: (answer: string) => void): void {
  if (!moderator.queue.current()) return
  moderator.view.prompt = { question, answer: before }
  moderator.onAnswer = then
}

function answer(moderator: Moderator, then: (answer: string) => void, { name, text }: PressedKey): void {
  const { view } = moderator
  const before = view.prompt?.answer ?? ''
  if (name === 'return' || name === 'escape') {
    Object.assign(view, { prompt: null, message: '', scroll: 0 })
    moderator.onAnswer = null
    if (name === 'return') then(before)
  } else if (view.prompt) {
    const letters = Array.from(new Intl.Segmenter().segment(before), ({ segment }) => segment)
    view.prompt.answer = name === 'backspace' ? letters.slice(0, -1).join('') : before + text
  }
}

async function setTags({ client, place, queue, view, end }: Moderator, { id }: Submission, text: string): Promise<void> {
  const tags = text.split(',').flatMap((tag) => tag.trim() || [])
  try {
    queue.replace(await client.submissions.update({ ...place, submission_id: id, tags }))
    view.message = 'The tags are set.'
  } catch (error) {
    const isRefusal = error instanceof Error && 'status' in error && (error.status === 401 || error.status === 403)
    if (!isPassing(error) && isRefusal) end(error)
    view.message = `The tags are not set: ${error instanceof Error ? error.message : error}`
  }
}

async function open({ queue, place, terminal, view }: Moderator): Promise<void> {
  const entry = queue.current()
  if (!entry) return
  const { team_id, project_id } = place
  const address = `${accountOf(terminal).url}/api/v1/teams/${team_id}/projects/${project_id}/submissions/${entry.submission.id}/`
  view.message = (await openBrowser(address, terminal.env)) ? `Your browser opens ${address}` : address
}

/** Says what was done and what was not. Returns the exit code. */
function conclude(queue: ModerationQueue, terminal: Terminal, failure: unknown): number {
  const { approved, rejected } = queue.counts
  terminal.writeError(`${approved} approved, ${rejected} rejected, ${queue.waiting().undecided} left.\n`)
  const unsent = queue.unsent()
  for (const { submission, decision } of unsent)
    terminal.writeError(printable(`not sent: ${decision?.action} ${submission.id} ${quoteOf(submission)}\n`))
  if (failure !== undefined) throw failure
  return unsent.length > 0 ? NOT_REACHABLE : 0
}
