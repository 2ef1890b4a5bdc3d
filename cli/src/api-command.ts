import { type Command, Option } from 'commander'
import { act } from './action.ts'
import { type ApiFlags, callApi } from './api.ts'
import { HelpGroup } from './help.ts'
import type { CommandContext } from './operation-command.ts'

const DESCRIPTION = [
  'Send any request to the service with your token, and print the response as it is.',
  'PATH is below /api/v1/, such as teams/{team}/projects/; {team} and {project} are those of other commands. Fields are the query of GET and DELETE, and a JSON body of other methods: author.name=Ada is a field of an object, tags[]=a an item of a list.',
].join('\n\n')

/** Adds the flags and the action of `earshot api`. */
export function addApi(command: Command, context: CommandContext): void {
  const collect = (value: string, before: string[] = []) => [...before, value]
  const general = [
    new Option(
      '--field <name=value>',
      'a field; true, false, null and numbers keep their type, @file is the text of a file (repeatable)',
    ).argParser(collect),
    new Option('--raw-field <name=value>', 'a field that is text (repeatable)').argParser(collect),
    new Option('--input <file>', 'send this file as the body; - for standard input. Fields are the query then'),
    new Option('--header <name:value>', 'a header, but not Authorization (repeatable)').argParser(collect),
    new Option('--paginate', 'fetch all pages of a list, as one document').conflicts('include'),
    new Option('--include', 'print the status and the headers before the body'),
    new Option('--idempotency-key <key>', 'key that makes a POST safe to repeat (default: a random one)'),
  ]
  const parents = [
    new Option('--team <id>', 'the team in the place of {team} (default: EARSHOT_TEAM, or your only team)'),
    new Option('--project <id>', 'the project in the place of {project} (default: EARSHOT_PROJECT, or the only project)'),
  ]
  command
    .description(DESCRIPTION)
    .usage('<method> <path> [flags]')
    .argument('<method>', 'GET, POST, …')
    .argument('<path>', 'the path below /api/v1/')
  for (const option of general) command.addOption(option.helpGroup(HelpGroup.general))
  for (const option of parents) command.addOption(option.helpGroup(HelpGroup.parents))
  act(command, context, () => {
    const [method = '', path = ''] = command.args
    return callApi({ method, path }, command.opts<ApiFlags>(), context.terminal)
  })
}
