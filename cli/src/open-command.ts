import { type Command, Option } from 'commander'
import { act } from './action.ts'
import { ExitCode } from './exit-codes.ts'
import { HelpGroup } from './help.ts'
import { type OpenFlags, openPage } from './open.ts'
import { OPENED } from './opened.ts'
import type { CommandContext } from './operation-command.ts'

const DESCRIPTION = [
  'Open a page of the service in the browser: the dashboard (the default), a project or a submission on it, your account, its tokens, or the reference of the API (docs).',
  'BROWSER names another browser; without one, the address is printed.',
].join('\n\n')

/** Adds the flags and the action of `earshot open`. */
export function addOpen(command: Command, context: CommandContext): void {
  command.description(DESCRIPTION).argument('[page]', OPENED.join(', ')).argument('[id]', 'the id of a project or submission')
  command.addOption(new Option('--print', 'print the address instead').helpGroup(HelpGroup.general))
  for (const noun of ['team', 'project'])
    command.addOption(
      new Option(`--${noun} <id>`, `the ${noun} (default: EARSHOT_${noun.toUpperCase()}, or the only one)`).helpGroup(HelpGroup.parents),
    )
  act(command, context, async () => {
    const [page, id] = command.args
    await openPage({ page, id }, command.opts<OpenFlags>(), context.terminal)
    return ExitCode.success
  })
}
