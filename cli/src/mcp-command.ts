import { type Command, Option } from 'commander'
import { act } from './action.ts'
import { ExitCode } from './exit-codes.ts'
import { HelpGroup } from './help.ts'
import { bridge } from './mcp-bridge.ts'
import type { CommandContext } from './operation-command.ts'
import { clientOptions } from './service.ts'
import { defaultPlace } from './team-and-project.ts'
import type { Terminal } from './terminal.ts'

const DESCRIPTION = [
  'Serve the operations of the service as tools of the Model Context Protocol, over standard input and output.',
  'For agents that start a program instead of opening an address: they run `earshot mcp`, which acts as the profile, or with EARSHOT_URL and EARSHOT_TOKEN. Those that open addresses use /mcp of the service.',
].join('\n\n')

interface McpFlags {
  toolsets?: string
  tools?: string
  excludeTools?: string
  readOnly?: boolean
  team?: string
  project?: string
}

/** Adds the flags and the action of `earshot mcp`. */
export function addMcp(command: Command, context: CommandContext): void {
  const general = [
    new Option('--toolsets <names>', 'sets of tools, comma-separated: default, all, or first words such as webhooks'),
    new Option('--tools <names>', 'single tools, comma-separated, such as submissions_delete'),
    new Option('--exclude-tools <names>', 'tools to leave out, comma-separated'),
    new Option('--read-only', 'only tools that change nothing, whatever else is named'),
  ]
  const parents = [
    new Option('--team <id>', 'the team of all tools, which then no longer ask for it (default: EARSHOT_TEAM)'),
    new Option('--project <id>', 'the project of all tools (default: EARSHOT_PROJECT)'),
  ]
  command.description(DESCRIPTION)
  for (const option of general) command.addOption(option.helpGroup(HelpGroup.general))
  for (const option of parents) command.addOption(option.helpGroup(HelpGroup.parents))
  act(command, context, async () => {
    const { terminal } = context
    const { baseUrl, token, userAgent = '', fetch = globalThis.fetch } = clientOptions(terminal)
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const headers = { ...authorization, 'user-agent': userAgent, ...selectionOf(command.opts<McpFlags>(), terminal) }
    await bridge(terminal, { address: `${baseUrl}/mcp`, headers, fetch })
    return ExitCode.success
  })
}

/** Returns the headers by which the service chooses the tools. */
function selectionOf({ toolsets, tools, excludeTools, readOnly, team, project }: McpFlags, terminal: Terminal): Record<string, string> {
  const place = defaultPlace(terminal)
  const chosen = {
    'x-mcp-toolsets': toolsets,
    'x-mcp-tools': tools,
    'x-mcp-exclude-tools': excludeTools,
    'x-mcp-readonly': readOnly ? 'true' : undefined,
    'x-earshot-team': team ?? place.team,
    'x-earshot-project': project ?? place.project,
  }
  return Object.fromEntries(Object.entries(chosen).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}
