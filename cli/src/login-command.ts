import { type Command, Option } from 'commander'
import { act } from './action.ts'
import { HelpGroup } from './help.ts'
import { type LoginFlags, login, logout, whoami } from './login.ts'
import type { CommandContext } from './operation-command.ts'

const LOGIN = [
  'Sign in at a service with your browser. The command shows an address and a code, opens the address if it can, and waits until you allow access.',
  'The credential is kept in a profile, in a file that only you can read, and renewed by the commands that use it. EARSHOT_TOKEN takes precedence over profiles, and --profile over both.',
].join('\n\n')

/** Adds the flags and the action of `earshot login`. */
export function addLogin(command: Command, context: CommandContext): void {
  const general = [
    new Option(
      '--scopes <names>',
      'what the commands may do, comma-separated, such as read:submissions,moderate:submissions (default: all)',
    ),
    new Option('--with-token', 'keep a personal access token from the standard input instead'),
    new Option('--no-browser', 'only show the address'),
  ]
  command
    .description(LOGIN)
    .argument('[url]', 'the address of the service (default: EARSHOT_URL, that of the profile, or http://localhost:8000)')
  for (const option of general) command.addOption(option.helpGroup(HelpGroup.general))
  act(command, context, () => login(command.args[0], command.opts<LoginFlags>(), context.terminal))
}

/** Adds the flags and the action of `earshot logout`. */
export function addLogout(command: Command, context: CommandContext): void {
  command.description('Sign out: revoke the tokens of the profile at the service, and remove the profile.')
  command.addOption(
    new Option('--local', 'only remove the profile; the tokens keep working until they expire').helpGroup(HelpGroup.general),
  )
  act(command, context, async () => {
    await logout({ isLocal: command.opts<{ local?: boolean }>().local === true }, context.terminal)
    return 0
  })
}

/** Adds the flags and the action of `earshot whoami`. */
export function addWhoami(command: Command, context: CommandContext): void {
  command.description('Show who the commands act as, and where.')
  command.addOption(new Option('--json', 'print it as JSON; errors go to stderr').helpGroup(HelpGroup.general))
  act(command, context, async () => {
    context.terminal.writeOut(await whoami({ isJson: command.opts<{ json?: boolean }>().json === true }, context.terminal))
    return 0
  })
}
