import type { Command, HelpConfiguration, Option } from 'commander'
import type { Terminal } from './terminal.ts'

const PIPED_WIDTH = 100

/** Headings of the help, in their order. */
export const HelpGroup = {
  nouns: 'Nouns:',
  tools: 'Tools:',
  verbs: 'Verbs:',
  fields: 'Fields:',
  place: 'Place:',
  general: 'General:',
} as const

/** Help as people read it: nouns with their verbs on top, each verb in one line below its noun, flags in groups. */
export function helpOf({ columns = PIPED_WIDTH }: Terminal): HelpConfiguration {
  return {
    helpWidth: columns,
    visibleCommands: (command) => (command.parent ? leavesOf(command) : [...command.commands]),
    subcommandTerm: (command) => (command.parent?.parent ? termOf(command) : command.name()),
    subcommandDescription: (command) => command.summary() || leavesOf(command).map(wordsBelowNoun).join(', '),
    optionTerm,
  }
}

/** The verbs below a noun, those of its parts (`tokens create`) included. */
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

/** `--has-video` and `--no-has-video` stand in one line. */
function optionTerm(option: Option): string {
  return option.isBoolean() && option.helpGroupHeading === HelpGroup.fields ? option.flags.replace('--', '--[no-]') : option.flags
}
