import { kebabCase } from '@earshot/contracts/constants'
import { Command, CommanderError } from 'commander'
import { ExitCode } from './exit-codes.ts'
import { HelpGroup, helpOf } from './help.ts'
import { listOperations, type Operation } from './operation.ts'
import { pathFieldsOf } from './path-fields.ts'
import { withSuggestion } from './suggestion.ts'
import { type Terminal, terminalWith } from './terminal.ts'
import { readVersion } from './version.ts'

export type { Screen } from './screen.ts'

const INTRODUCTION = `
Settings:
  EARSHOT_TOKEN      a personal access token, svc_…, instead of a profile
  EARSHOT_URL        address of the service (default: http://localhost:8000)
  EARSHOT_PROFILE    the profile to use
  EARSHOT_TEAM, EARSHOT_PROJECT
                     defaults of --team and --project

Any command takes --debug.

Exit codes: 0 success, 1 refused, 2 wrong usage, 3 not signed in, 4 not reachable, 130 Ctrl-C
`

/** Runs a command line, without the words "node earshot". Returns its exit code. */
export async function run(argv: readonly string[], process: Terminal): Promise<number> {
  // Shells ask so for each TAB.
  if (argv[0] === '__complete') {
    const { complete } = await import('./complete.ts')
    return complete(argv.slice(1), { terminal: process, environmentWith: (profile) => environmentWith(profile, process.env) })
  }
  let exitCode: number = ExitCode.success
  const terminal = terminalWith(process, { env: process.env, isDebug: false })
  const program = buildProgram(terminal, (code) => {
    exitCode = code
  })
  program.hook('preAction', async () => {
    terminal.env = await environmentWith(program.opts<{ profile?: string }>().profile, process.env)
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.success : ExitCode.usage
    terminal.writeError(await bugReport(error, terminal))
    return ExitCode.refused
  }
}

/** A profile that the command line names takes precedence over all that the environment says about the account. */
async function environmentWith(profile: string | undefined, env: Terminal['env']): Promise<Terminal['env']> {
  if (profile === undefined) return env
  const { openProfiles } = await import('./profiles.ts')
  // One that is still to be made has no address of its own.
  const isNew = !openProfiles(env).names().includes(profile)
  const account = { EARSHOT_TOKEN: '', EARSHOT_TEAM: '', EARSHOT_PROJECT: '', ...(!isNew && { EARSHOT_URL: '' }) }
  return { ...env, ...account, EARSHOT_PROFILE: profile }
}

/** No failure that is expected comes here. */
async function bugReport(error: unknown, { isDebug }: Terminal): Promise<string> {
  const { printable } = await import('./printable.ts')
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error))
  const advice = isDebug ? stack : 'Run it again with --debug, and report what it prints'
  return printable(`error: this is a bug in earshot ${readVersion()} on Node ${process.versions.node}: ${message}\n${advice}\n`)
}

function buildProgram(terminal: Terminal, finish: (exitCode: number) => void): Command {
  const program = new Command('earshot')
    .description('The command line of Earshot, the feedback collection service.')
    .usage('<noun> <verb> [ID] [flags]')
    .version(readVersion(), '--version', 'print the version')
    .option('--debug', 'show requests and responses on the standard error, without secrets')
    .on('option:debug', () => {
      terminal.isDebug = true
    })
    .helpOption('-h, --help', 'show help; after a noun or verb, help about it')
    .option('--profile <name>', 'the profile to use (default: EARSHOT_PROFILE, or the current one)')
    .commandsGroup(HelpGroup.nouns)
    .addHelpText('after', INTRODUCTION)
    .exitOverride()
    .showHelpAfterError('Add --help for more information.')
    .configureHelp(helpOf(terminal))
    .configureOutput({
      writeOut: terminal.writeOut,
      writeErr: terminal.writeError,
      outputError: (message, write) => write(withSuggestion(message)),
    })
  addCommands(program, async (command, operation) => {
    const { addFlags } = await import('./operation-command.ts')
    addFlags(command, operation, { terminal, finish })
  })
  addTools(program, { terminal, finish })
  return program
}

/** Adds the commands that are more than one operation. Their flags and actions are loaded only when the command line names them. */
function addTools(program: Command, context: { terminal: Terminal; finish: (exitCode: number) => void }): void {
  const addTool = (name: string, summary: string, usage: string, load: (command: Command) => Promise<void>) => {
    loadedWhenNamed(program, program.command(name).summary(summary).usage(usage).helpGroup(HelpGroup.tools), load)
  }
  addTool('import', 'import testimonials from a CSV file, after a preview', '<file> [flags]', async (command) => {
    const { addImport } = await import('./import-command.ts')
    addImport(command, context)
  })
  addTool('moderate', 'decide on pending submissions, key by key', '[flags]', async (command) => {
    const { addModerate } = await import('./moderate-command.ts')
    addModerate(command, context)
  })
  addTool('listen', 'forward events to a program on this machine', '[flags]', async (command) => {
    const { addListen } = await import('./listen-command.ts')
    addListen(command, context)
  })
  addTool('login', 'sign in at a service with your browser', '[url] [flags]', async (command) => {
    const { addLogin } = await import('./login-command.ts')
    addLogin(command, context)
  })
  addTool('logout', 'sign out of a service', '[flags]', async (command) => {
    const { addLogout } = await import('./login-command.ts')
    addLogout(command, context)
  })
  addTool('whoami', 'show who the commands act as', '[flags]', async (command) => {
    const { addWhoami } = await import('./login-command.ts')
    addWhoami(command, context)
  })
  addTool('profiles', 'list the services that you are signed in at, or choose one', '[verb] [flags]', async (command) => {
    const { addProfiles } = await import('./profiles-command.ts')
    addProfiles(command, context)
  })
  addTool('mcp', 'serve tools to agents over standard input and output', '[flags]', async (command) => {
    const { addMcp } = await import('./mcp-command.ts')
    addMcp(command, context)
  })
  addTool('api', 'send any request with your token', '<method> <path> [flags]', async (command) => {
    const { addApi } = await import('./api-command.ts')
    addApi(command, context)
  })
  addTool('open', 'open the account or the reference in the browser', '[page] [ID] [flags]', async (command) => {
    const { addOpen } = await import('./open-command.ts')
    addOpen(command, context)
  })
  addTool('completion', 'print a script that completes commands in bash, zsh or fish', '<shell>', async (command) => {
    const { addCompletion } = await import('./completion-command.ts')
    addCompletion(command, { ...context, program, load: loadFlags })
  })
  const videos = program.commands.find((command) => command.name() === 'videos')
  if (!videos) throw new Error('There are no operations of videos.')
  const upload = videos.command('upload').summary('Upload a video').argument('<file>', 'the video; - for standard input')
  loadedWhenNamed(videos, upload, async (command) => {
    const { addVideoUpload } = await import('./video-upload-command.ts')
    addVideoUpload(command, context)
  })
}

/** What adds the flags of a command. */
const loaders = new WeakMap<Command, () => Promise<void>>()

/** Adds the flags of a command, unless they are there. */
async function loadFlags(command: Command): Promise<void> {
  const load = loaders.get(command)
  loaders.delete(command)
  await load?.()
}

function loadedWhenNamed(parent: Command, tool: Command, load: (command: Command) => Promise<void>): void {
  loaders.set(tool, () => load(tool))
  parent.hook('preSubcommand', (_parent, command) => (command === tool ? loadFlags(tool) : undefined))
}

/** Adds all commands. Their flags are added only when the command line names them, because reading schemas takes time. */
function addCommands(root: Command, addFlags: (command: Command, operation: Operation) => Promise<void>): void {
  const groups = new Map<string, Command>([['', root]])
  const leaves = new Map<Command, Operation>()
  const groupAt = (words: readonly string[]): Command => {
    const key = words.join(' ')
    const present = groups.get(key)
    if (present) return present
    const group = groupAt(words.slice(0, -1)).command(words.at(-1) ?? '')
    groups.set(
      key,
      group
        .usage('<verb> [ID] [flags]')
        .commandsGroup(HelpGroup.verbs)
        .hook('preSubcommand', (_parent, command) => loadFlags(command)),
    )
    return group
  }
  const exports = groupAt(['export']).helpGroup(HelpGroup.tools).summary('write all submissions or responses to a file')
  for (const operation of listOperations()) {
    const { words, stream, summary } = operation
    if (stream === 'records') {
      const exporting = ['export', words[0] ?? '']
      const leaf = exports.command(exporting[1] ?? '', { isDefault: exporting[1] === 'submissions' })
      leaves.set(addPositional(leaf.summary(summary), operation), { ...operation, words: exporting })
      continue
    }
    const leaf = groupAt(words.slice(0, -1)).command(words.at(-1) ?? '')
    leaves.set(addPositional(leaf.summary(summary), operation), operation)
  }
  for (const [leaf, operation] of leaves) loaders.set(leaf, () => addFlags(leaf, operation))
}

function addPositional(command: Command, operation: Operation): Command {
  const { positional } = pathFieldsOf(operation)
  return positional ? command.argument(`<${kebabCase(positional)}>`) : command
}
