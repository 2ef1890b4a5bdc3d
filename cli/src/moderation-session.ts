import type { Submission } from '@earshot/contracts'
import type { Client } from '@earshot/contracts/client'
import { Colleagues } from './moderation-colleagues.ts'
import { ModerationQueue } from './moderation-queue.ts'
import type { ViewState } from './moderation-view.ts'
import { connect } from './service.ts'
import { findTeamAndProject } from './team-and-project.ts'
import type { Terminal } from './terminal.ts'

/** Flags as commander gives them. */
export interface ModerateFlags {
  team?: string
  project?: string
  kind?: Submission['kind']
  tag?: string
}

/** Why a session ends. */
interface Ending {
  error?: unknown
  exitCode?: number
}

/** A person who moderates the submissions of a project. */
export interface Session {
  client: Client
  place: { team_id: string; project_id: string }
  /** Which submissions are moderated. */
  filters: Pick<ModerateFlags, 'kind' | 'tag'>
  queue: ModerationQueue
  colleagues: Colleagues
  view: ViewState
  terminal: Terminal
  /** Says what happened, on the screen. */
  tell: (message: string) => void
  /** Prints what is told when the screen is closed; null before. */
  print: ((message: string) => void) | null
  /** Aborts when the person leaves: nothing more is read. */
  leaving: AbortSignal
  /** Aborts when nothing more may be sent, either. */
  stopping: AbortSignal
  leave: (ending?: Ending) => void
  stop: () => void
  /** Why the person left; the first reason counts. */
  ending: Ending
}

/** Finds the project and connects to the service. */
export async function startSession({ team, project, kind, tag }: ModerateFlags, terminal: Terminal): Promise<Session> {
  const client = connect(terminal)
  const asked = { needsTeam: true, needsProject: true, ...(team && { team }), ...(project && { project }) }
  const place = (await findTeamAndProject(client, asked, terminal)) as Session['place'] // Both were asked for.
  const { name } = await client.projects.retrieve(place)
  const view: ViewState = { project: name, shown: null, message: '', prompt: null, isHelpShown: false, scroll: 0 }
  const [leaving, stopping] = [new AbortController(), new AbortController()]
  const session: Session = {
    client,
    place,
    filters: { ...(kind && { kind }), ...(tag && { tag }) },
    queue: new ModerationQueue(),
    colleagues: new Colleagues({ client, team_id: place.team_id, signal: stopping.signal }),
    view,
    terminal,
    tell: (message) => {
      view.message = message
      session.print?.(message)
    },
    print: null,
    leaving: leaving.signal,
    stopping: stopping.signal,
    leave: (ending = {}) => {
      session.ending = { ...ending, ...session.ending }
      leaving.abort()
    },
    stop: () => stopping.abort(),
    ending: {},
  }
  return session
}
