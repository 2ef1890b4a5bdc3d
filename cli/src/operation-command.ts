import { type NamedOperation, type Operation, takesKey } from '@earshot/contracts'
import { type Command, Option } from 'commander'
import { failed } from './failure.ts'
import { type Flag, flagsOf, optionsOf } from './flags.ts'
import { HelpGroup } from './help.ts'
import { invoke } from './invoke.ts'
import { parentFlag, pathFieldsOf } from './path-fields.ts'
import { readSchema } from './schema-node.ts'
import type { Terminal } from './terminal.ts'

interface Surroundings {
  terminal: Terminal
  finish: (exitCode: number) => void
}

/** What an operation takes and does, all from its contract. */
export function addFlags(command: Command, named: NamedOperation, { terminal, finish }: Surroundings): void {
  const { operation } = named
  const flags = flagsOf(readSchema(operation.input, 'input')).filter(({ path: [name = ''] }) => !operation.pathFields.has(name))
  command.description([operation.summary, operation.description].filter(Boolean).join('.\n\n'))
  for (const option of [...fieldOptions(operation, flags), ...placeOptions(operation), ...generalOptions(operation)])
    command.addOption(option)
  command.action(async () => {
    const given = command.opts()
    try {
      await invoke({ named, flags, terminal, given, positional: command.args[0] })
      finish(0)
    } catch (error) {
      finish(failed(error, { named, flags, terminal, isJson: given.json === true }))
    }
  })
}

function fieldOptions(operation: Operation, flags: readonly Flag[]): Option[] {
  const options = flags.flatMap((flag) => optionsOf(flag, operation.method === 'PATCH'))
  if (operation.bodyFields.size === 0) return options.map((option) => option.helpGroup(HelpGroup.fields))
  const words = options.find(({ long }) => long === '--body')
  if (words) words.description += ' Or the whole request, where it begins with @ or {: @file, @- for standard input, JSON.'
  else options.push(new Option('--body <json>', 'the whole request: @file, @- for standard input, or JSON; flags win over it'))
  return options.map((option) => option.helpGroup(HelpGroup.fields))
}

function placeOptions(operation: Operation): Option[] {
  const { parents, needsTeam, needsProject } = pathFieldsOf(operation)
  const descriptionOf = (field: string) => operation.input.shape[field]?.description ?? ''
  const options = parents.map((field) =>
    new Option(`${parentFlag(field)} <id>`, `${descriptionOf(field)} (required)`).makeOptionMandatory(),
  )
  if (needsTeam) options.push(new Option('--team <id>', `${descriptionOf('team_id')} (EARSHOT_TEAM, else the only one)`))
  if (needsProject) options.push(new Option('--project <id>', `${descriptionOf('project_id')} (EARSHOT_PROJECT, else the only one)`))
  return options.map((option) => option.helpGroup(HelpGroup.place))
}

function generalOptions(operation: Operation): Option[] {
  const options = [
    new Option('--json', 'print the body of the response, errors too (to stderr)'),
    new Option('--output <field>', 'print this field alone, such as id or author.name; of a list one a line').conflicts('json'),
  ]
  if (operation.queryFields.has('cursor')) options.push(new Option('--all', 'follow the cursor through all pages'))
  if (takesKey(operation)) options.push(new Option('--idempotency-key <key>', 'a repeated call with the same key does nothing new'))
  return options.map((option) => option.helpGroup(HelpGroup.general))
}
