import { readFile } from 'node:fs/promises'
import { ApiError } from '@earshot/contracts'
import { isAllowedRedirectUri } from '@earshot/server'
import { z } from 'zod'

/** What of a client's document counts here (RFC 7591 §2). Such clients are public: what anybody can read holds no secret. */
const Document = z.object({
  client_id: z.string(),
  client_name: z.string().min(1).max(200).optional(),
  redirect_uris: z
    .array(z.string().refine(isAllowedRedirectUri, 'must be https, http on this machine, or a reverse-domain scheme'))
    .min(1)
    .max(50),
  token_endpoint_auth_method: z
    .literal('none', 'must be none, because only public clients can be registered by a document')
    .default('none'),
})

/** A client as its document describes it. */
export interface ClientMetadata {
  clientId: string
  name: string
  redirectUris: string[]
}

/**
 * Reads the client ID metadata document of an application (draft-ietf-oauth-client-id-metadata-document) from a file. The operator has
 * fetched it and looked at it: the service itself fetches none, so that no stranger can make it send requests. Throws `validation_error`.
 */
export async function readClientMetadata(clientId: string, file: string): Promise<ClientMetadata> {
  if (!isDocumentAddress(clientId)) throw refusal('--client-id must be the https address of the document, with a path and no fragment.')
  const parsed = Document.safeParse(parse(await readFile(file, 'utf8').catch(() => '')))
  if (!parsed.success) throw refusal(`The document is not valid.\n${z.prettifyError(parsed.error)}`)
  const { client_id, client_name, redirect_uris } = parsed.data
  // The document must name its own address, or one application could be taken for another.
  if (client_id !== clientId) throw refusal(`The document is that of ${client_id}.`)
  return { clientId, name: client_name ?? new URL(clientId).host, redirectUris: redirect_uris }
}

function isDocumentAddress(text: string): boolean {
  if (!URL.canParse(text) || !/^[\x21-\x7e]{1,2000}$/.test(text)) return false
  const { protocol, pathname, hash, username, href } = new URL(text)
  // The text is compared as it is, so it must be the one that a parser makes of it: no dots in the path, no default port.
  return protocol === 'https:' && pathname !== '/' && hash === '' && username === '' && href === text
}

function refusal(detail: string): ApiError {
  return new ApiError('validation_error', { detail })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refusal('The file cannot be read, or is not JSON.')
  }
}
