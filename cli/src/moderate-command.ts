import { type Command, Option } from 'commander'
import { act } from './action.ts'
import { HelpGroup } from './help.ts'
import { moderate } from './moderate.ts'
import type { ModerateFlags } from './moderation-session.ts'
import { operationNamed } from './operation.ts'
import type { CommandContext } from './operation-command.ts'
import { nodeAt, readInput } from './schema-node.ts'

const DESCRIPTION = [
  'Decide on pending submissions in the terminal, key by key: approve, reject with a reason, skip, undo, tag, open.',
  'Decisions are sent five seconds later, and before the end. New submissions appear by themselves. What somebody else decided meanwhile is shown, and never overwritten.',
].join('\n\n')

/** Adds the flags and the action of `earshot moderate`. */
export function addModerate(command: Command, context: CommandContext): void {
  const kinds = nodeAt(readInput(operationNamed('submissions.list')), ['kind'])?.choices ?? []
  const fields = [
    new Option('--kind <choice>', 'only submissions of this kind').choices(kinds),
    new Option('--tag <text>', 'only submissions with this tag'),
  ]
  const parents = [
    new Option('--team <id>', 'the team (default: EARSHOT_TEAM, or your only team)'),
    new Option('--project <id>', 'the project (default: EARSHOT_PROJECT, or the only project)'),
  ]
  command.description(DESCRIPTION)
  for (const option of fields) command.addOption(option.helpGroup(HelpGroup.fields))
  for (const option of parents) command.addOption(option.helpGroup(HelpGroup.parents))
  act(command, context, () => moderate(command.opts<ModerateFlags>(), context.terminal))
}
