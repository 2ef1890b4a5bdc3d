import { contracts } from '@earshot/contracts'
import { type Command, Option } from 'commander'
import { failed } from './failure.ts'
import { HelpGroup } from './help.ts'
import { type ListenFlags, listen } from './listen.ts'
import type { Terminal } from './terminal.ts'

const DESCRIPTION = [
  'Follow the events of a team and post each to a program on this machine, signed like a webhook.',
  "For a developer behind a firewall: nothing must reach this machine. Each event is one request with the body and the headers of a delivery; X-Service-Delivery is the event's id. The signing secret is made for each run and shown; EARSHOT_LISTEN_SECRET sets one.",
  'An event that is not taken (no answer within 30 s, 429, 500, 502, 503, 504) is tried again after 1, 2 and 4 s, then left, and the next one comes. The next run goes on where this one stopped.',
].join('\n\n')

/** What `earshot listen` takes and does. */
export function addListen(command: Command, { terminal, finish }: { terminal: Terminal; finish: (exitCode: number) => void }): void {
  const collect = (value: string, before: string[] = []) => [...before, value]
  const general = [
    new Option('--forward <url>', 'where events are posted, such as localhost:3000/hook; without it they are shown alone'),
    new Option('--events <types>', 'only these types; comma-separated, or repeat it').argParser(collect),
    new Option('--from-now', 'skip what happened since the last run'),
    new Option('--keep-trying', 'try an event until it is taken, every 5 s in the end, instead of leaving it'),
    new Option('--json', 'an object a line for each try'),
  ]
  const place = [
    new Option('--team <id>', 'The team. (EARSHOT_TEAM, else the only one)'),
    new Option('--project <id>', 'only what happens in this project'),
  ]
  command.description(DESCRIPTION)
  for (const option of general) command.addOption(option.helpGroup(HelpGroup.general))
  for (const option of place) command.addOption(option.helpGroup(HelpGroup.place))
  command.action(async () => {
    const flags = command.opts<ListenFlags>()
    try {
      await listen(flags, terminal)
      finish(0)
    } catch (error) {
      const named = { name: 'events.stream', operationId: 'events_stream', words: ['listen'], operation: contracts.events.stream }
      finish(failed(error, { named, flags: [], terminal, isJson: flags.json === true }))
    }
  })
}
