import { takesKey } from '@earshot/contracts/constants'
import { type Command, Option } from 'commander'
import { failed } from './failure.ts'
import { type Flag, flagsOf, optionsOf } from './flags.ts'
import { HelpGroup } from './help.ts'
import { invoke } from './invoke.ts'
import { type Operation, schemasOf } from './operation.ts'
import { parentFlag, pathFieldsOf } from './path-fields.ts'
import { nodeAt, readInput, type SchemaNode } from './schema-node.ts'
import type { Terminal } from './terminal.ts'

export interface CommandContext {
  terminal: Terminal
  finish: (exitCode: number) => void
}

/** Adds the flags and the action of an operation, from its schemas. */
export function addFlags(command: Command, operation: Operation, { terminal, finish }: CommandContext): void {
  const input = readInput(operation)
  const flags = flagsOf(input).filter(({ path: [name = ''] }) => !operation.pathFields.has(name))
  command.description([operation.summary, schemasOf(operation).description].filter(Boolean).join('.\n\n'))
  describeArgument(command, operation, input)
  for (const option of [...fieldOptions(operation, flags), ...parentOptions(operation, input), ...generalOptions(operation)])
    command.addOption(option)
  command.action(async () => {
    const given = command.opts()
    try {
      const invocation = { operation, flags, terminal, given, positional: command.args[0] }
      if (operation.stream === 'events') await (await import('./follow-stream.ts')).followStream(invocation)
      else if (operation.stream) await (await import('./export.ts')).exportRecords(invocation)
      else if (given.watch) await (await import('./watch.ts')).watch(invocation)
      else await invoke(invocation)
      finish(0)
    } catch (error) {
      finish(failed(error, { operation, flags, terminal, isJson: given.json === true }))
    }
  })
}

/** The argument is there from the start, so that help of the noun shows it; its description comes with the schemas. */
function describeArgument(command: Command, operation: Operation, input: SchemaNode): void {
  const { positional } = pathFieldsOf(operation)
  const [argument] = command.registeredArguments
  if (argument && positional) argument.description = nodeAt(input, [positional])?.description ?? ''
}

function fieldOptions(operation: Operation, flags: readonly Flag[]): Option[] {
  const options = flags.flatMap((flag) => optionsOf(flag, operation.method === 'PATCH'))
  const hasBody = operation.method === 'POST' || operation.method === 'PATCH'
  if (!hasBody || flags.length === 0) return options.map((option) => option.helpGroup(HelpGroup.fields))
  const bodyOption = options.find(({ long }) => long === '--body')
  if (bodyOption) bodyOption.description += ' Text that begins with @ or { is the whole request: @file, @- for standard input, or JSON.'
  else options.push(new Option('--body <json>', 'the whole request: @file, @- for standard input, or JSON; flags override it'))
  return options.map((option) => option.helpGroup(HelpGroup.fields))
}

/** Returns the options that name the parents of what an operation works on. */
export function parentOptions(operation: Operation, input: SchemaNode): Option[] {
  const { parents, needsTeam, needsProject } = pathFieldsOf(operation)
  const descriptionOf = (field: string) => nodeAt(input, [field])?.description ?? ''
  const options = parents.map((field) =>
    new Option(`${parentFlag(field)} <id>`, `${descriptionOf(field)} (required)`).makeOptionMandatory(),
  )
  if (needsTeam) options.push(new Option('--team <id>', `${descriptionOf('team_id')} (default: EARSHOT_TEAM, or your only team)`))
  if (needsProject)
    options.push(new Option('--project <id>', `${descriptionOf('project_id')} (default: EARSHOT_PROJECT, or the only project)`))
  return options.map((option) => option.helpGroup(HelpGroup.parents))
}

function generalOptions(operation: Operation): Option[] {
  if (operation.stream === 'events') return []
  if (operation.stream) return [new Option('--out <file>', 'write to this file; one that ends in .csv is CSV').helpGroup(HelpGroup.general)]
  const options = [
    new Option('--json', 'print the response as JSON; errors go to stderr'),
    new Option('--output <field>', 'print only this field, such as id or author.name; for a list, one per line').conflicts('json'),
    new Option('--query <expression>', 'print what this JMESPath expression takes from the response: JSON, or bare text').conflicts(
      'output',
    ),
  ]
  if (operation.pages) {
    options.push(new Option('--csv', 'print CSV with the columns of an export').conflicts(['json', 'output', 'query']))
    options.push(new Option('--ndjson', 'print one line of JSON for each record').conflicts(['json', 'output', 'query', 'csv']))
    options.push(new Option('--all', 'fetch all pages'))
    const watched = new Option('--watch [seconds]', 'show it again every 5 s or so many; into a pipe, only rows that are new or changed')
    if (operation.pages === 'list') options.push(watched.conflicts(['all', 'json', 'query', 'cursor']))
  }
  if (takesKey(operation)) options.push(new Option('--idempotency-key <key>', 'key that makes the call safe to repeat'))
  return options.map((option) => option.helpGroup(HelpGroup.general))
}
