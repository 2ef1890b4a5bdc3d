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

/** Adds the commands for OAuth2 clients: applications that people can authorize. */
export function addOAuthClientCommands(program: Command): void {
  const client = program.command('oauth-client').description('Manage OAuth2 clients: applications that people can authorize')

  verb(client, 'create', 'Register an application; its secret is shown once')
    .requiredOption('--name <text>', 'name that people see when they authorize it')
    .addOption(
      new Option('--type <type>', 'confidential on a server, which can keep a secret; public in a browser or on a device')
        .choices(['public', 'confidential'])
        .makeOptionMandatory(),
    )
    .option('--redirect-uri <address>', 'redirect URI, repeatable; without one, the device flow', collectRedirectUri, [])
    .requiredOption('--scopes <list>', 'the scopes it may request, comma-separated, or * for all', parseScopes)
    .option('--device', 'allow the device flow as well as redirects')
    .action((options: NewClient) => perform((database) => create(database, options)))

  verb(client, 'list', 'List the applications').action(() => perform(async (database) => (await listOAuthClients(database)).map(show)))

  verb(client, 'delete', 'Delete an application and revoke all its authorizations')
    .requiredOption('--client-id <id>', 'client_id of the application')
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
    'It must be https, http on 127.0.0.1, [::1] or localhost, or a reverse-domain scheme (com.example.app:/callback), without a user name or fragment.',
  )
}

function parseScopes(text: string): Scope[] {
  const grantable = scopes.filter(isGrantable)
  const wanted = text === '*' ? grantable : text.split(',').map((scope) => scope.trim())
  const wrong = wanted.find((scope) => !(grantable as string[]).includes(scope))
  if (wrong !== undefined)
    throw new InvalidArgumentError(`"${wrong}" is not a scope for applications. Choose from: ${grantable.join(', ')}.`)
  return grantable.filter((scope) => wanted.includes(scope))
}
