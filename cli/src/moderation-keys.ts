import { sizes } from '@earshot/contracts/constants'
import { quoteOf } from './moderation-colleagues.ts'
import { type Prompt, typed } from './moderation-prompt.ts'
import type { Choice, QueuedSubmission } from './moderation-queue.ts'
import type { ModerationSender } from './moderation-sender.ts'
import type { Session } from './moderation-session.ts'
import { tagsOf, textOfTags } from './moderation-tags.ts'
import { openPage } from './open.ts'
import type { PressedKey } from './screen.ts'
import { terminalWith } from './terminal.ts'

/** A person at the keys. */
interface Moderator {
  session: Session
  sender: ModerationSender
}

/** Does what a key asks for. */
export function press(moderator: Moderator, key: PressedKey): void {
  const { view, leave } = moderator.session
  if (key.name === 'ctrl-c') leave()
  else if (view.prompt) answer(moderator, key)
  // Any key leaves the help.
  else if (view.isHelpShown) view.isHelpShown = false
  else if (key.name !== 'paste') act(moderator, key)
}

function act(moderator: Moderator, { name, text }: PressedKey): void {
  const { shown } = moderator.session.view
  const action = ANYTIME[text] ?? ANYTIME[name]
  if (action) action(moderator)
  else if (shown) ON_SUBMISSION[text]?.(moderator, shown)
}

type Actions<Rest extends unknown[] = []> = Readonly<Record<string, (moderator: Moderator, ...rest: Rest) => void>>

/** What keys do to the submission that is on the screen. */
const ON_SUBMISSION: Actions<[shown: QueuedSubmission]> = {
  a: ({ session }, shown) => decide(session, shown, { action: 'approve', reason: null }),
  r: ({ session }, shown) =>
    ask(session, {
      question: 'Reason, for your team (Enter for none, Esc to go back):',
      answer: '',
      submit: (answer) => {
        const reason = answer.trim()
        const { length } = Array.from(reason)
        if (length > sizes.reasonCharacters) return `A reason has at most ${sizes.reasonCharacters} characters, and this one ${length}.`
        decide(session, shown, { action: 'reject', reason: reason || null })
        return undefined
      },
    }),
  s: ({ session: { queue, tell } }, shown) => {
    queue.skip(shown)
    tell('')
  },
  t: ({ session, sender }, shown) =>
    ask(session, {
      question: 'Tags, comma-separated (Esc to go back):',
      answer: textOfTags(shown.submission.tags),
      submit: (answer) => {
        sender.setTags(shown, tagsOf(answer))
        return undefined
      },
    }),
  o: ({ session }, shown) => void open(session, shown),
}

/** What keys do at any time, by what they write or by their name. */
const ANYTIME: Actions = {
  S: ({ session }) => session.queue.reviewSkipped(),
  z: ({ session: { queue, tell } }) => {
    const entry = queue.undo()
    tell(entry ? `Undone: ${quoteOf(entry.submission)}` : 'There is nothing to undo: decisions are sent after five seconds.')
  },
  q: ({ session }) => session.leave(),
  '?': ({ session: { view } }) => {
    view.isHelpShown = true
  },
  down: ({ session: { view } }) => {
    view.scroll += 1
  },
  up: ({ session: { view } }) => {
    view.scroll = Math.max(0, view.scroll - 1)
  },
}

function ask({ view, tell }: Session, prompt: Prompt): void {
  view.prompt = prompt
  tell('')
}

function decide({ queue, tell }: Session, shown: QueuedSubmission, choice: Choice): void {
  if (queue.decide(shown, choice, performance.now())) tell('')
  else tell(`${shown.news ?? `${quoteOf(shown.submission)} is no longer pending.`} Your decision was not sent.`)
}

function answer({ session: { view, tell } }: Moderator, key: PressedKey): void {
  const { prompt } = view
  if (!prompt) return
  if (key.name === 'return') {
    const problem = prompt.submit(prompt.answer)
    if (problem === undefined) view.prompt = null
    else tell(problem)
  } else if (key.name === 'escape') view.prompt = null
  else prompt.answer = typed(prompt.answer, key)
}

async function open({ place, terminal, tell }: Session, { submission }: QueuedSubmission): Promise<void> {
  const flags = { team: place.team_id, project: place.project_id }
  try {
    await openPage({ page: 'submission', id: submission.id }, flags, terminalWith(terminal, { writeOut: tell, writeError: tell }))
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error))
  }
}
