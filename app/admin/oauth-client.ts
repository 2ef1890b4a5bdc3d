import { ApiError, type Scope, scopes } from '@earshot/contracts'
import type { Database } from '@earshot/db'
import { createOAuthClient, deleteOAuthClient, findOAuthClient, listOAuthClients, type OAuthClientRow } from '@earshot/db/oauth'
import { DEVICE_CODE, isAllowedRedirectUri, isGrantable, makeClientId, makeToken } from '@earshot/server'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { readClientMetadata } from './client-metadata.ts'
import { perform, verb } from './perform.ts'

interface NewClient {
  name?: string
  type?: 'public' | 'confidential'
  clientId?: string
  metadata?: string
  redirectUri: string[]
  scopes: Scope[]
  device?: boolean
}

/** Adds the commands for OAuth2 clients: applications that people can authorize. */
export function addOAuthClientCommands(client: Command): void {
  verb(client, 'create', 'Register an application; its secret is shown once')
    .option('--name <text>', 'name that people see when they authorize it')
    .addOption(
      new Option('--type <type>', 'confidential on a server, which can keep a secret; public in a browser or on a device').choices([
        'public',
        'confidential',
      ]),
    )
    .option('--client-id <address>', 'https address of the client ID metadata document of an application, which is its client_id')
    .option('--metadata <file>', 'that document as a file, which gives the name and the redirect URIs; nothing is fetched')
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

async function create(database: Database, options: NewClient) {
  const { scopes: allowed, device } = options
  const { clientId, name, type, redirectUri } = await identityOf(options)
  if ((await findOAuthClient(database, clientId)) !== null)
    throw new ApiError('already_exists', { detail: `${clientId} is registered already.` })
  const secret = type === 'confidential' ? makeToken('svs_') : null
  const byRedirect = redirectUri.length > 0
  const row = await createOAuthClient(database, {
    clientId,
    name,
    secretHash: secret?.hash ?? null,
    redirectUris: redirectUri,
    grantTypes: [...(byRedirect ? ['authorization_code'] : []), ...(!byRedirect || device ? [DEVICE_CODE] : []), 'refresh_token'],
    scopes: allowed,
  })
  return { ...show(row), ...(secret && { client_secret: secret.token }) }
}

/** Who the application is: as the options say, or as its document does. */
async function identityOf({ name, type, redirectUri, clientId, metadata }: NewClient) {
  if (clientId === undefined && metadata === undefined) {
    if (name !== undefined && type !== undefined) return { clientId: makeClientId(), name, type, redirectUri }
    throw new ApiError('validation_error', { detail: 'Name the application with --name and --type, or with --client-id and --metadata.' })
  }
  if (clientId === undefined || metadata === undefined || type === 'confidential' || redirectUri.length > 0) {
    throw new ApiError('validation_error', {
      detail: '--client-id and --metadata go together, for a public client whose redirect URIs stand in the document.',
    })
  }
  const document = await readClientMetadata(clientId, metadata)
  return { ...document, name: name ?? document.name, type: 'public', redirectUri: document.redirectUris }
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
