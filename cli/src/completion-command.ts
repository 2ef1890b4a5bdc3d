import { Argument, type Command } from 'commander'
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
  command.description(DESCRIPTION).addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
  command.action(async () => {
    const script = scripts[command.args[0] as keyof typeof scripts] // One of its choices.
    await terminal.writeAll(script(await entriesOf(program, load)))
    finish(0)
  })
}
