import { type Command, Option } from 'commander'
import { act } from './action.ts'
import { ExitCode } from './exit-codes.ts'
import { HelpGroup } from './help.ts'
import { type ListenFlags, listen } from './listen.ts'
import type { CommandContext } from './operation-command.ts'

const DESCRIPTION = [
  'Stream the events of a team and post each to a program on this machine, signed like a webhook.',
  "Works behind a firewall, because nothing connects to this machine. Each event is one request with the body and headers of a delivery; X-Service-Delivery is the event's id. Each run generates a signing secret and shows it; EARSHOT_LISTEN_SECRET sets one.",
  'A failed event (no response within 30 s, or 429, 500, 502, 503, 504) is retried after 1, 2 and 4 s, then skipped. The next run resumes where this one stopped.',
].join('\n\n')

/** Adds the flags and the action of `earshot listen`. */
export function addListen(command: Command, context: CommandContext): void {
  const collect = (value: string, before: string[] = []) => [...before, value]
  const general = [
    new Option('--forward <url>', 'address to post events to, such as localhost:3000/hook; without it, events are only shown'),
    new Option('--events <types>', 'only these types; comma-separated or repeated').argParser(collect),
    new Option('--from-now', 'skip events since the last run'),
    new Option('--from-oldest', 'if events since the last run are no longer kept, continue with the oldest that is'),
    new Option('--keep-trying', 'retry a failed event, every 5 s in the end, instead of skipping it'),
    new Option('--json', 'print one JSON object per try'),
  ]
  const parents = [
    new Option('--team <id>', 'the team (default: EARSHOT_TEAM, or your only team)'),
    new Option('--project <id>', 'only events of this project'),
  ]
  command.description(DESCRIPTION)
  for (const option of general) command.addOption(option.helpGroup(HelpGroup.general))
  for (const option of parents) command.addOption(option.helpGroup(HelpGroup.parents))
  const work = async () => {
    await listen(command.opts<ListenFlags>(), context.terminal)
    return ExitCode.success
  }
  act(command, context, work, 'events.stream')
}
