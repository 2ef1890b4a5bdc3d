import type { Command, HelpConfiguration, Option } from 'commander'
import type { Terminal } from './terminal.ts'

const PIPED_WIDTH = 100

/** Headings of the help, in order. */
export const HelpGroup = {
  nouns: 'Nouns:',
  tools: 'Tools:',
  verbs: 'Verbs:',
  fields: 'Fields:',
  parents: 'Parent resources:',
  general: 'General:',
} as const

/** Returns the layout of the help: nouns with their verbs, each verb in one line below its noun, flags in groups. */
export function helpOf({ columns = PIPED_WIDTH }: Terminal): HelpConfiguration {
  return {
    helpWidth: columns,
    visibleCommands: (command) => (command.parent ? leavesOf(command) : [...command.commands]),
    subcommandTerm: (command) => (command.parent?.parent ? termOf(command) : command.name()),
    subcommandDescription: (command) => command.summary() || leavesOf(command).map(wordsBelowNoun).join(', '),
    optionTerm,
  }
}

/** Returns the verbs below a noun, including those of nested nouns (`tokens create`). */
function leavesOf(command: Command): Command[] {
  return command.commands.flatMap((child) => (child.commands.length > 0 ? leavesOf(child) : [child]))
}

function termOf(command: Command): string {
  const ids = command.registeredArguments.map((argument) => `<${argument.name()}>`)
  return [wordsBelowNoun(command), ...ids].join(' ')
}

function wordsBelowNoun(command: Command): string {
  const isTop = !command.parent?.parent?.parent
  return isTop || !command.parent ? command.name() : `${wordsBelowNoun(command.parent)} ${command.name()}`
}

/** Shows `--has-video` and `--no-has-video` as one term. */
function optionTerm(option: Option): string {
  return option.isBoolean() && option.helpGroupHeading === HelpGroup.fields ? option.flags.replace('--', '--[no-]') : option.flags
}
