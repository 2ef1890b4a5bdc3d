import { ApiError, type Plan, plans, Role, roles, type Scope, scopes } from '@earshot/contracts'
import {
  addTeamMember,
  createTeamFor,
  createTokenFor,
  createUser,
  type Database,
  findUserByEmail,
  openDatabase,
  prepareDatabase,
  setTeamPlan,
} from '@earshot/db'
import { createSecretBox } from '@earshot/drivers'
import { hashPassword, makePassword, makeToken, rotateJwtKey } from '@earshot/server'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Config, readConfig } from './config.ts'
import { examine } from './doctor.ts'
import { explainStartFailure } from './start-failure.ts'
import { joinStore, type Store } from './store.ts'

const MIN_PASSWORD_CHARACTERS = 12
const EXIT_REFUSED = 1

const program = new Command('admin').description("The operator's door: works beside a running service, or alone.")
const nouns = new Map<string, Command>()

command('user', 'create', 'Make a user')
  .requiredOption('--email <address>', 'e-mail address', parseEmail)
  .option('--password <text>', 'password of at least 12 characters; without it one is made and shown once', parsePassword)
  .option('--name <text>', 'display name; the first part of the address if absent')
  .action((options: { email: string; password?: string; name?: string }) =>
    perform(async (database) => {
      const made = options.password === undefined ? makePassword() : null
      const name = options.name ?? options.email.split('@', 1)[0] ?? ''
      const user = await createUser(database, {
        email: options.email,
        name,
        passwordHash: await hashPassword(made ?? options.password ?? ''),
      })
      return { id: user.id, email: user.email, name: user.name, ...(made && { password: made }) }
    }),
  )

command('team', 'create', 'Make a team')
  .requiredOption('--name <text>', 'name of the team')
  .requiredOption('--owner <address>', 'e-mail address of its owner')
  .addOption(new Option('--plan <plan>', 'plan; EARSHOT_DEFAULT_PLAN if absent').choices(Object.keys(plans)))
  .action((options: { name: string; owner: string; plan?: Plan }) =>
    perform(async (database, { defaultPlan }) => {
      const team = await createTeamFor(database, await findUserByEmail(database, options.owner), {
        name: options.name,
        plan: options.plan ?? defaultPlan,
      })
      return { id: team.id, name: team.name, slug: team.slug, plan: team.plan }
    }),
  )

command('team', 'set-plan', "Change a team's plan; bites on the next request")
  .requiredOption('--team <id>', 'the team')
  .addOption(new Option('--plan <plan>', 'the plan').choices(Object.keys(plans)).makeOptionMandatory())
  .action((options: { team: string; plan: Plan }) =>
    perform(async (database) => {
      await setTeamPlan(database, { team_id: options.team, plan: options.plan })
      return { id: options.team, plan: options.plan }
    }),
  )

command('member', 'add', 'Add a user to a team')
  .requiredOption('--team <id>', 'the team')
  .requiredOption('--email <address>', 'the user')
  .addOption(new Option('--role <role>', 'role in the team').choices([...roles]).makeOptionMandatory())
  .action((options: { team: string; email: string; role: string }) =>
    perform(async (database) => {
      const user = await findUserByEmail(database, options.email)
      await addTeamMember(database, { team_id: options.team, userId: user.id, role: Role.parse(options.role) })
      return { team_id: options.team, user_id: user.id, role: options.role }
    }),
  )

command('token', 'create', 'Make a personal access token; its value is shown once')
  .requiredOption('--user <address>', 'e-mail address of its user')
  .requiredOption('--name <text>', 'what to call it')
  .requiredOption('--scopes <list>', 'scopes, comma-separated, or * for all', parseScopes)
  .action((options: { user: string; name: string; scopes: Scope[] }) =>
    perform(async (database) => {
      const { token, hash, hint } = makeToken()
      const owner = await findUserByEmail(database, options.user)
      const row = await createTokenFor(database, owner, { name: options.name, scopes: options.scopes, hash, hint })
      return { id: row.id, name: row.name, scopes: row.scopes, token }
    }),
  )

command('jwt-keys', 'rotate', 'Make a new key for the access tokens of log-ins; what the old one signed is good until its end').action(() =>
  perform(async (database, _config, store) => ({ ...(await rotateJwtKey(database, createSecretBox(store.secretKey))) })),
)

program
  .command('doctor')
  .description('Examine database, clock, keys and queues')
  .option('--json', 'print JSON')
  .action(() => perform(async (database, _config, store) => examine(database, store)))

await program.parseAsync()

function command(noun: string, verb: string, description: string): Command {
  const parent = nouns.get(noun) ?? program.command(noun).description(`Commands for a ${noun}`)
  nouns.set(noun, parent)
  return parent.command(verb).description(description).option('--json', 'print JSON')
}

type Work = (database: Database, config: Config, store: Store) => Promise<Record<string, unknown>>

/** Opens the store, does the work, prints the result; whatever the operator can mend is one line. */
async function perform(work: Work): Promise<void> {
  let config: Config | null = null
  try {
    config = readConfig()
    print(await withDatabase(config, work))
  } catch (error) {
    explain(error, config)
  }
}

async function withDatabase(config: Config, work: Work): Promise<Record<string, unknown>> {
  const store = await joinStore(config, () => {})
  try {
    await prepareDatabase(store.address)
    const database = openDatabase({ address: store.address, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot admin' })
    try {
      return await work(database, config, store)
    } finally {
      await database.close()
    }
  } finally {
    await store.close()
  }
}

function print(result: Record<string, unknown>): void {
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify(result))
    return
  }
  const width = Math.max(...Object.keys(result).map((key) => key.length))
  for (const [key, value] of Object.entries(result))
    console.log(`${key.padEnd(width)}  ${Array.isArray(value) ? value.join(', ') : String(value)}`)
}

function explain(error: unknown, config: Config | null): void {
  const isRefusal = error instanceof ApiError && error.status < 500
  const failure = isRefusal ? { line: refusalLine(error), exitCode: EXIT_REFUSED } : explainStartFailure(error, config)
  if (!failure) throw error
  console.error(failure.line)
  process.exitCode = failure.exitCode
}

function refusalLine({ code, message }: ApiError): string {
  return code === 'not_found' ? 'There is no such user or team.' : message
}

function parseEmail(text: string): string {
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return text
  throw new InvalidArgumentError('It must be an e-mail address.')
}

function parsePassword(text: string): string {
  if (text.length >= MIN_PASSWORD_CHARACTERS) return text
  throw new InvalidArgumentError(`It must have at least ${MIN_PASSWORD_CHARACTERS} characters.`)
}

function parseScopes(text: string): Scope[] {
  const wanted = text === '*' ? [...scopes] : text.split(',').map((scope) => scope.trim())
  const unknown = wanted.find((scope) => !(scopes as string[]).includes(scope))
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no scope "${unknown}". The scopes are: ${scopes.join(', ')}.`)
  return wanted as Scope[]
}
