import { type Scope, scopes } from '@earshot/contracts'
import { createTokenFor, findUserByEmail } from '@earshot/db'
import { makeToken } from '@earshot/server'
import { type Command, InvalidArgumentError } from 'commander'
import { perform, verb } from './perform.ts'

export function addTokenCommands(token: Command): void {
  verb(token, 'create', 'Create a personal access token; its value is shown once')
    .requiredOption('--user <address>', 'e-mail address of its user')
    .requiredOption('--name <text>', 'name of the token')
    .requiredOption('--scopes <list>', 'scopes, comma-separated, or * for all', parseScopes)
    .action((options: { user: string; name: string; scopes: Scope[] }) =>
      perform(async (database) => {
        const { token: value, hash, hint } = makeToken()
        const owner = await findUserByEmail(database, options.user)
        const row = await createTokenFor(database, owner, { name: options.name, scopes: options.scopes, hash, hint })
        return { id: row.id, name: row.name, scopes: row.scopes, token: value }
      }),
    )
}

function parseScopes(text: string): Scope[] {
  const wanted = text === '*' ? [...scopes] : text.split(',').map((scope) => scope.trim())
  const unknown = wanted.find((scope) => !(scopes as string[]).includes(scope))
  if (unknown !== undefined) throw new InvalidArgumentError(`Unknown scope "${unknown}". Choose from: ${scopes.join(', ')}.`)
  return wanted as Scope[]
}
