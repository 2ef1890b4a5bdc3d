import type { Command } from 'commander'
import { failed } from './failure.ts'
import { operationNamed } from './operation.ts'
import type { CommandContext } from './operation-command.ts'

/** Sets the action of a command that is more than one operation. `work` returns the exit code; a refusal is one of `operation`. */
export function act(command: Command, { terminal, finish }: CommandContext, work: () => Promise<number>, operation = 'me.retrieve'): void {
  command.action(async () => {
    try {
      finish(await work())
    } catch (error) {
      const refused = { ...operationNamed(operation), words: wordsOf(command) }
      finish(failed(error, { operation: refused, flags: [], terminal, isJson: command.opts<{ json?: boolean }>().json === true }))
    }
  })
}

/** Returns the words of a command line without `earshot`. */
function wordsOf(command: Command): string[] {
  return command.parent ? [...wordsOf(command.parent), command.name()] : []
}
