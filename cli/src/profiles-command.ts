import { type Command, Option } from 'commander'
import { readable } from './account.ts'
import { act } from './action.ts'
import type { Column } from './columns.ts'
import { HelpGroup } from './help.ts'
import type { CommandContext } from './operation-command.ts'
import { painter } from './paint.ts'
import { jsonText } from './printable.ts'
import { openProfiles } from './profiles.ts'
import { changeProfile } from './refresh.ts'
import { TEXT } from './schema-node.ts'
import { formatTable } from './table.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const COLUMNS: readonly Column[] = ['name', 'url', 'email', 'team', 'project'].map((name, rank) => ({ path: [name], node: TEXT, rank }))

interface Place {
  team?: string
  project?: string
}

/** Adds the flags, the verbs and the actions of `earshot profiles`. */
export function addProfiles(command: Command, context: CommandContext): void {
  const { terminal } = context
  command.description('List the profiles: the services that you are signed in at.')
  command.addOption(new Option('--json', 'print them as JSON').helpGroup(HelpGroup.general))
  act(command, context, async () => {
    list(terminal, command.opts<{ json?: boolean }>().json === true)
    return 0
  })
  const use = command.command('use').summary('use a profile from now on').argument('<name>', 'the name of the profile')
  act(use, context, async () => {
    chooseProfile(terminal, use.args[0] ?? '')
    return 0
  })
  const set = command.command('set').summary('set the team and the project of the profile')
  set.addOption(new Option('--team <id>', 'the team of commands without --team; empty for none'))
  set.addOption(new Option('--project <id>', 'the project of commands without --project; empty for none'))
  act(set, context, async () => {
    await setPlace(terminal, set.opts<Place>())
    return 0
  })
}

function list(terminal: Terminal, isJson: boolean): void {
  const profiles = openProfiles(terminal.env)
  const chosen = profiles.chosen()
  const rows = profiles.names().map((name) => {
    const { url = null, email = null, team = null, project = null, credential } = readable(profiles, name) ?? {}
    return { name, url, email, team, project, is_current: name === chosen, is_signed_in: credential !== undefined }
  })
  if (isJson) {
    terminal.writeOut(`${jsonText({ results: rows })}\n`)
    return
  }
  if (rows.length === 0) {
    terminal.writeError('There are no profiles. Sign in: earshot login\n')
    return
  }
  const shown = rows.map((row) => ({
    ...row,
    name: `${row.name}${row.is_current ? ' (current)' : ''}`,
    email: row.is_signed_in ? row.email : stateOf(row.url),
  }))
  terminal.writeOut(formatTable(COLUMNS, shown, { terminalWidth: terminal.columns, paint: painter(terminal) }))
}

function stateOf(url: string | null): string {
  return url === null ? 'broken' : 'signed out'
}

function chooseProfile(terminal: Terminal, name: string): void {
  const profiles = openProfiles(terminal.env)
  if (!profiles.names().includes(name)) throw new UsageError(`there is no profile ${name}. Choose from: ${profiles.names().join(', ')}`)
  profiles.choose(name)
}

async function setPlace({ env }: Terminal, given: Place): Promise<void> {
  const profiles = openProfiles(env)
  const name = profiles.chosen()
  if (name === undefined || !profiles.read(name)) throw new UsageError('there is no profile yet. Sign in: earshot login')
  if (given.team === undefined && given.project === undefined) throw new UsageError('name --team, --project or both')
  await changeProfile({ profiles, name }, ({ team: ownTeam, project: ownProject, ...rest }) => {
    const team = given.team ?? ownTeam
    // The project of another team is none of this one.
    const project = given.project ?? (given.team === undefined ? ownProject : undefined)
    return { ...rest, ...(team && { team }), ...(project && { project }) }
  })
}
