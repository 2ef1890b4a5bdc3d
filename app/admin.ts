import { Command } from 'commander'
import { nameSources } from './source-positions.ts'

/** A word of the command line: what it is for, and what loads the rest, which needs the whole service. */
type Noun = [description: string, complete: () => Promise<(noun: Command) => void>]

const nouns: Record<string, Noun> = {
  user: ['Manage users', async () => (await import('./admin/user.ts')).addUserCommands],
  team: ['Manage teams', async () => (await import('./admin/team.ts')).addTeamCommands],
  member: ['Manage members', async () => (await import('./admin/member.ts')).addMemberCommands],
  token: ['Manage personal access tokens', async () => (await import('./admin/token.ts')).addTokenCommands],
  'oauth-client': [
    'Manage OAuth2 clients: applications that people can authorize',
    async () => (await import('./admin/oauth-client.ts')).addOAuthClientCommands,
  ],
  mail: ['Read mail', async () => (await import('./admin/mail.ts')).addMailCommands],
  'jwt-keys': ['Manage the signing keys of JWTs', async () => (await import('./admin/jwt-keys.ts')).addJwtKeysCommands],
  doctor: [
    'Check the database, storage, transcoder, clock, keys and queues',
    async () => (await import('./admin/doctor.ts')).completeDoctor,
  ],
}

nameSources()
const program = new Command('admin').description('Manages users, teams, tokens and applications, with or without a running service.')
for (const [name, [description, complete]] of Object.entries(nouns)) {
  const noun = program.command(name).description(description)
  if (process.argv.includes(name)) (await complete())(noun)
}
await program.parseAsync()
