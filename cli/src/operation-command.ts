import { type NamedOperation, type Operation, takesKey } from '@earshot/contracts'
import { type Command, Option } from 'commander'
import { failed } from './failure.ts'
import { type Flag, flagsOf, optionsOf } from './flags.ts'
import { HelpGroup } from './help.ts'
import { invoke } from './invoke.ts'
import { parentFlag, pathFieldsOf } from './path-fields.ts'
import { readSchema } from './schema-node.ts'
import type { Terminal } from './terminal.ts'

export interface CommandContext {
  terminal: Terminal
  finish: (exitCode: number) => void
}

/** Adds the flags and the action of an operation, from its contract. */
export function addFlags(command: Command, named: NamedOperation, { terminal, finish }: CommandContext): void {
  const { operation } = named
  const flags = flagsOf(readSchema(operation.input, 'input')).filter(({ path: [name = ''] }) => !operation.pathFields.has(name))
  command.description([operation.summary, operation.description].filter(Boolean).join('.\n\n'))
  for (const option of [...fieldOptions(operation, flags), ...parentOptions(operation), ...generalOptions(operation)])
    command.addOption(option)
  command.action(async () => {
    const given = command.opts()
    try {
      const invocation = { named, flags, terminal, given, positional: command.args[0] }
      if (operation.stream) await (await import('./export.ts')).exportRecords(invocation)
      else await invoke(invocation)
      finish(0)
    } catch (error) {
      finish(failed(error, { named, flags, terminal, isJson: given.json === true }))
    }
  })
}

function fieldOptions(operation: Operation, flags: readonly Flag[]): Option[] {
  const options = flags.flatMap((flag) => optionsOf(flag, operation.method === 'PATCH'))
  if (operation.bodyFields.size === 0) return options.map((option) => option.helpGroup(HelpGroup.fields))
  const bodyOption = options.find(({ long }) => long === '--body')
  if (bodyOption) bodyOption.description += ' Text that begins with @ or { is the whole request: @file, @- for standard input, or JSON.'
  else options.push(new Option('--body <json>', 'the whole request: @file, @- for standard input, or JSON; flags override it'))
  return options.map((option) => option.helpGroup(HelpGroup.fields))
}

/** Returns the options that name the parents of what an operation works on. */
export function parentOptions(operation: Operation): Option[] {
  const { parents, needsTeam, needsProject } = pathFieldsOf(operation)
  const descriptionOf = (field: string) => operation.input.shape[field]?.description ?? ''
  const options = parents.map((field) =>
    new Option(`${parentFlag(field)} <id>`, `${descriptionOf(field)} (required)`).makeOptionMandatory(),
  )
  if (needsTeam) options.push(new Option('--team <id>', `${descriptionOf('team_id')} (default: EARSHOT_TEAM, or your only team)`))
  if (needsProject)
    options.push(new Option('--project <id>', `${descriptionOf('project_id')} (default: EARSHOT_PROJECT, or the only project)`))
  return options.map((option) => option.helpGroup(HelpGroup.parents))
}

function generalOptions(operation: Operation): Option[] {
  if (operation.stream) return [new Option('--out <file>', 'write to this file; one that ends in .csv is CSV').helpGroup(HelpGroup.general)]
  const options = [
    new Option('--json', 'print the response as JSON; errors go to stderr'),
    new Option('--output <field>', 'print only this field, such as id or author.name; for a list, one per line').conflicts('json'),
  ]
  if (operation.queryFields.has('cursor')) options.push(new Option('--all', 'fetch all pages'))
  if (takesKey(operation)) options.push(new Option('--idempotency-key <key>', 'key that makes the call safe to repeat'))
  return options.map((option) => option.helpGroup(HelpGroup.general))
}
