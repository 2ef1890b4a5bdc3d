import { type Command, Option } from 'commander'
import { failed } from './failure.ts'
import { HelpGroup } from './help.ts'
import { type OpenFlags, openPage } from './open.ts'
import { OPENED } from './opened.ts'
import { operationNamed } from './operation.ts'
import type { CommandContext } from './operation-command.ts'

const DESCRIPTION = [
  'Open a page of the service in the browser: your account (the default), its tokens, or the reference of the API (docs).',
  'Projects and submissions have no pages yet: the browser shows their JSON, if you are signed in there. BROWSER names another browser; without one, the address is printed.',
].join('\n\n')

/** Adds the flags and the action of `earshot open`. */
export function addOpen(command: Command, { terminal, finish }: CommandContext): void {
  command.description(DESCRIPTION).argument('[page]', OPENED.join(', ')).argument('[id]', 'of a project or submission')
  command.addOption(new Option('--print', 'print the address instead').helpGroup(HelpGroup.general))
  for (const noun of ['team', 'project'])
    command.addOption(
      new Option(`--${noun} <id>`, `(default: EARSHOT_${noun.toUpperCase()}, or the only one)`).helpGroup(HelpGroup.parents),
    )
  command.action(async () => {
    const [page, id] = command.args
    try {
      await openPage({ page, id }, command.opts<OpenFlags>(), terminal)
      finish(0)
    } catch (error) {
      finish(failed(error, { operation: { ...operationNamed('me.retrieve'), words: ['open'] }, flags: [], terminal, isJson: false }))
    }
  })
}
