import { constants } from 'node:os'
import { ExitCode } from './exit-codes.ts'
import { quoteOf } from './moderation-colleagues.ts'
import { press } from './moderation-keys.ts'
import { isUnauthorized, ModerationSender } from './moderation-sender.ts'
import { type ModerateFlags, type Session, startSession } from './moderation-session.ts'
import { ModerationSource } from './moderation-source.ts'
import { countOf, view } from './moderation-view.ts'
import { painter } from './paint.ts'
import { oneLine } from './printable.ts'
import type { Screen } from './screen.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** What shells add to the number of a signal. */
const SIGNALLED = 128
const TICK_MS = 100
/** How long decisions are sent after the person has left, and after a signal that asks the process to end. */
const FLUSH_MS = 30_000
const SHORT_FLUSH_MS = 5_000
/** A person wonders what it waits for. */
const WONDER_MS = 2_000

/** Shows the pending submissions one after another, and decides on them key by key. Returns the exit code. */
export async function moderate(flags: ModerateFlags, terminal: Terminal): Promise<number> {
  if (!terminal.openScreen)
    throw new UsageError('earshot moderate needs a terminal. In scripts, use: earshot submissions moderate --body @decisions.json')
  const session = await startSession(flags, terminal)
  const source = new ModerationSource(session)
  const sender = new ModerationSender(session)
  await source.start()
  await converse(session, await terminal.openScreen(), { source, sender })
  const isInterrupted = await sendRest(session, sender)
  return conclude(session, isInterrupted)
}

/** Shows the screen until the person leaves. */
async function converse(session: Session, opened: Screen, { source, sender }: { source: ModerationSource; sender: ModerationSender }) {
  using screen = opened
  const { queue, terminal, leaving, leave } = session
  const fail = (error: unknown) => leave({ error })
  const draw = () => screen.draw(view(queue, session.view, { ...screen.size(), paint: painter(terminal) }))
  screen.onKey((key) => {
    press({ session, sender }, key)
    draw()
  })
  screen.onResize(draw)
  screen.onSignal((signal) => leave(signal === 'SIGINT' ? {} : { exitCode: SIGNALLED + constants.signals[signal] }))
  source.follow().catch(fail)
  while (!leaving.aborted) {
    draw()
    source.load().catch(fail)
    sender.send().catch(fail)
    await terminal.pause(TICK_MS, leaving)
  }
}

/** Sends what was decided and not sent, for a limited time or until Ctrl-C. Returns whether that was pressed. */
async function sendRest(session: Session, sender: ModerationSender): Promise<boolean> {
  const { terminal, ending, leave, stop } = session
  session.print = linePrinter(terminal)
  const interruption = terminal.interruption()
  interruption.addEventListener('abort', stop)
  const done = new AbortController()
  const after = (ms: number, then: () => void) => void terminal.pause(ms, done.signal).then(() => done.signal.aborted || then())
  after(ending.exitCode === undefined ? FLUSH_MS : SHORT_FLUSH_MS, stop)
  after(WONDER_MS, () => session.tell('Sending what was decided. Ctrl-C ends without sending it.'))
  if (!isUnauthorized(ending.error)) await sender.flush().catch((error) => leave({ error }))
  done.abort()
  stop()
  return interruption.aborted
}

/** Prints messages, each once. */
function linePrinter(terminal: Terminal): (message: string) => void {
  let last = ''
  return (message) => {
    if (message !== last) terminal.writeError(`${oneLine(message)}\n`)
    last = message
  }
}

/** Says what was done and what was not. Returns the exit code. */
function conclude({ queue, terminal, ending }: Session, isInterrupted: boolean): number {
  const { approved, rejected } = queue.counts
  terminal.writeError(`${approved} approved, ${rejected} rejected, ${countOf(queue)} left.\n`)
  const unsent = queue.unsent()
  for (const { submission, decision } of unsent) {
    const reason = decision?.reason ? `: ${decision.reason}` : ''
    terminal.writeError(`${oneLine(`not sent: ${decision?.action} ${submission.id} ${quoteOf(submission)}${reason}`)}\n`)
  }
  if (isInterrupted) return ExitCode.interrupted
  if (ending.error !== undefined) throw ending.error
  return ending.exitCode ?? (unsent.length > 0 ? ExitCode.notReachable : 0)
}
