import { type Scope, scopes } from '@earshot/contracts'
import type { Database } from '@earshot/db'
import { createOAuthClient, deleteOAuthClient, listOAuthClients, type OAuthClientRow } from '@earshot/db/oauth'
import { DEVICE_CODE, isAllowedRedirectUri, isGrantable, makeClientId, makeToken } from '@earshot/server'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { perform, verb } from './perform.ts'

interface NewClient {
  name: string
  type: 'public' | 'confidential'
  redirectUri: string[]
  scopes: Scope[]
  device?: boolean
}

/** Commands for the programs that people may allow to act for them. */
export function addOAuthClientCommands(program: Command): void {
  const client = program.command('oauth-client').description('Commands for an application that people may allow to act for them')

  verb(client, 'create', 'Register an application; its secret is shown once')
    .requiredOption('--name <text>', 'what people read when they are asked to allow it')
    .addOption(
      new Option('--type <type>', 'whether it can keep a secret: one on a server can, one in a browser or on a device cannot')
        .choices(['public', 'confidential'])
        .makeOptionMandatory(),
    )
    .option('--redirect-uri <address>', 'where it gets its answer, repeatable; without one it is a device', collectRedirectUri, [])
    .requiredOption('--scopes <list>', 'the most that people can allow it, comma-separated, or * for all', parseScopes)
    .option('--device', 'it may use the device flow beside its addresses')
    .action((options: NewClient) => perform((database) => create(database, options)))

  verb(client, 'list', 'Show the applications').action(() => perform(async (database) => (await listOAuthClients(database)).map(show)))

  verb(client, 'delete', 'Remove an application with all that people allowed it, at once')
    .requiredOption('--client-id <id>', 'the application')
    .action((options: { clientId: string }) =>
      perform(async (database) => {
        await deleteOAuthClient(database, options.clientId)
        return { client_id: options.clientId, deleted: true }
      }),
    )
}

async function create(database: Database, { name, type, redirectUri, scopes: allowed, device }: NewClient) {
  const secret = type === 'confidential' ? makeToken('svs_') : null
  const byRedirect = redirectUri.length > 0
  const row = await createOAuthClient(database, {
    clientId: makeClientId(),
    name,
    secretHash: secret?.hash ?? null,
    redirectUris: redirectUri,
    grantTypes: [...(byRedirect ? ['authorization_code'] : []), ...(!byRedirect || device ? [DEVICE_CODE] : []), 'refresh_token'],
    scopes: allowed,
  })
  return { ...show(row), ...(secret && { client_secret: secret.token }) }
}

function show({ client_id, name, secret_hash, redirect_uris, grant_types, scopes: allowed }: OAuthClientRow) {
  const type = secret_hash === null ? 'public' : 'confidential'
  return { client_id, name, type, redirect_uris, grant_types, scopes: allowed }
}

function collectRedirectUri(uri: string, before: readonly string[]): string[] {
  if (isAllowedRedirectUri(uri)) return [...before, uri]
  throw new InvalidArgumentError(
    'It must be https, http on 127.0.0.1, [::1] or localhost, or a scheme of your own domain backwards (com.example.app:/callback); without user name and fragment.',
  )
}

function parseScopes(text: string): Scope[] {
  const grantable = scopes.filter(isGrantable)
  const wanted = text === '*' ? grantable : text.split(',').map((scope) => scope.trim())
  const wrong = wanted.find((scope) => !(grantable as string[]).includes(scope))
  if (wrong !== undefined) throw new InvalidArgumentError(`"${wrong}" is no scope for an application. They are: ${grantable.join(', ')}.`)
  return grantable.filter((scope) => wanted.includes(scope))
}
