import type { Command } from 'commander'
import { entriesOf, scripts } from './completion.ts'
import type { CommandContext } from './operation-command.ts'

const DESCRIPTION = `Print a script that completes commands, flags, choices, ids, and names of teams and projects as their ids.

bash:  earshot completion bash > ~/.local/share/bash-completion/completions/earshot
zsh:   earshot completion zsh > "\${fpath[1]}/_earshot"
fish:  earshot completion fish > ~/.config/fish/completions/earshot.fish

Or for one session: source <(earshot completion bash), in fish: earshot completion fish | source`

/** Adds the argument and the action of `earshot completion`. */
export function addCompletion(
  command: Command,
  { terminal, finish, program, load }: CommandContext & { program: Command; load: (command: Command) => Promise<void> },
): void {
  command.description(DESCRIPTION).argument('<shell>', 'bash, zsh or fish')
  command.action(async () => {
    const script = Object.entries(scripts).find(([shell]) => shell === command.args[0])?.[1]
    if (!script)
      return command.error(`error: there is no completion for ${command.args[0]}. Choose from: ${Object.keys(scripts).join(', ')}`)
    await terminal.writeAll(script(await entriesOf(program, load)))
    finish(0)
  })
}
