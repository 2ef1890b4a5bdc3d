import { openBrowser } from './browser.ts'
import { OPENED, PAGES } from './opened.ts'
import { connect, serviceUrl } from './service.ts'
import { findTeamAndProject } from './team-and-project.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Flags as commander gives them. */
export interface OpenFlags {
  print?: boolean
  team?: string
  project?: string
}

/** Opens a page in the browser; prints its address where there is none. */
export async function openPage(
  { page = 'dashboard', id }: { page: string | undefined; id: string | undefined },
  flags: OpenFlags,
  terminal: Terminal,
): Promise<void> {
  // Its protocol is http or https: a browser would run javascript: and read file:.
  const address = new URL(`${serviceUrl(terminal)}/${await pathOf(page, id, flags, terminal)}`).href
  if (flags.print || !(await openBrowser(address, terminal.env))) terminal.writeOut(`${address}\n`)
  else terminal.writeError(`Opening ${address}\n`)
}

/** The pages of the dashboard take ids as well as short names. */
async function pathOf(page: string, id: string | undefined, flags: OpenFlags, terminal: Terminal): Promise<string> {
  const path = Object.hasOwn(PAGES, page) ? PAGES[page] : undefined
  if (path !== undefined && id !== undefined) throw new UsageError(`${page} takes no id`)
  if (path !== undefined) return path
  if (page !== 'project' && page !== 'submission') throw new UsageError(`there is no page ${page}. Choose from: ${OPENED.join(', ')}`)
  if (page === 'submission' && !id) throw new UsageError('which submission? earshot open submission ID')
  const project = (page === 'project' ? id : undefined) ?? flags.project ?? terminal.env.EARSHOT_PROJECT ?? ''
  const team = flags.team ?? terminal.env.EARSHOT_TEAM ?? ''
  const isKnown = project !== '' && team !== ''
  const place = isKnown
    ? { team_id: team, project_id: project }
    : await findTeamAndProject(connect(terminal), { needsTeam: true, needsProject: true, team, project }, terminal)
  const inbox = `app/${encodeURIComponent(place.team_id ?? '')}/${encodeURIComponent(place.project_id ?? '')}/inbox`
  return page === 'submission' ? `${inbox}?${new URLSearchParams({ item: id ?? '' })}` : inbox
}
