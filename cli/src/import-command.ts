import { importFields } from '@earshot/contracts/constants'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { failed } from './failure.ts'
import { type Flag, flagsOf, optionsOf } from './flags.ts'
import { HelpGroup } from './help.ts'
import { importFile } from './import.ts'
import { operationNamed } from './operation.ts'
import { type CommandContext, parentOptions } from './operation-command.ts'
import { readInput } from './schema-node.ts'

const DESCRIPTION = [
  'Import testimonials from a CSV file. The service first reads the whole file without storing a record; the preview shows what it recognized, what would be imported and which rows fail. Then you are asked.',
  'Exports of Earshot, Senja, Testimonial.to, Google, Trustpilot, Typeform and Delighted are recognized; --map names the columns of others. The file may have any encoding and up to 1 GB. Records arrive pending. `earshot imports undo` removes them again.',
].join('\n\n')

/** Fields of the request that the command itself decides on. */
const OWN_FIELDS = ['target', 'file_name', 'csv', 'size_bytes', 'dry_run_id', 'dry_run']

const operation = { ...operationNamed('imports.create'), words: ['import'] }

/** Adds the flags and the action of `earshot import`. */
export function addImport(command: Command, { terminal, finish }: CommandContext): void {
  const flags = fieldFlags()
  const fields = flags.flatMap((flag) => (flag.field === 'mapping' ? [mapOption(flag)] : optionsOf(flag, false)))
  const general = [
    new Option('--dry-run', 'show what would be imported, and stop'),
    new Option('-y, --yes', 'import without asking').conflicts('dryRun'),
    new Option('--json', 'print the import as JSON in the end; requires --yes or --dry-run'),
  ]
  command.description(DESCRIPTION).argument('<file>', 'the CSV file; - for standard input, with --yes or --dry-run')
  for (const option of fields) command.addOption(option.helpGroup(HelpGroup.fields))
  for (const option of parentOptions(operation, readInput(operation))) command.addOption(option)
  for (const option of general) command.addOption(option.helpGroup(HelpGroup.general))
  command.action(async () => {
    const given = command.opts()
    try {
      finish(await importFile({ operation, flags, terminal, given, positional: command.args[0] }))
    } catch (error) {
      finish(failed(error, { operation, flags, terminal, isJson: given.json === true }))
    }
  })
}

function fieldFlags(): Flag[] {
  return flagsOf(readInput(operation))
    .filter(({ path: [name = ''] }) => !operation.pathFields.has(name) && !OWN_FIELDS.includes(name))
    .map((flag) => (flag.field === 'mapping' ? { ...flag, name: '--map' } : flag))
}

function mapOption({ name, node }: Flag): Option {
  const option = new Option(`${name} <column=field>`, `${node.description} Fields: ${importFields.join(', ')}, metadata.… (repeatable)`)
  return option.argParser((text, before: Record<string, string> = {}) => ({ ...before, ...readMapping(text) }))
}

/** Reads `Column=field`. A column may contain = too. */
function readMapping(text: string): Record<string, string> {
  const [, column, field = ''] = /^(.+)=([^=]*)$/s.exec(text) ?? []
  if (column === undefined) throw new InvalidArgumentError('It must be the name of a column, = and a field: "Customer name=author.name".')
  const isKnown = importFields.some((name) => name === field) || /^metadata\../.test(field)
  if (!isKnown) throw new InvalidArgumentError(`The field must be one of: ${importFields.join(', ')}, or metadata. and a key.`)
  return { [column]: field }
}
