import { readFileSync } from 'node:fs'
import { contracts } from '@earshot/contracts'
import { buildDocument } from '../../server/src/openapi/document.ts'
import { isObject, type Json } from './read-document.ts'

/** The committed document, from the top of the repository. */
export const SNAPSHOT_PATH = 'test/openapi/snapshots/openapi.json'

/** The document of the last release: what clients rely on. */
export const RELEASED_PATH = 'test/openapi/snapshots/released.json'

const TOP = new URL('../..', import.meta.url)
const BASE_URL = 'https://earshot.example'

/** The document as it is committed: of a service at an address that nobody has. */
export function documentSnapshot(): string {
  return `${JSON.stringify(buildDocument(contracts, { baseUrl: BASE_URL, version: ownVersion() }), null, 2)}\n`
}

export function readSnapshot(): Json {
  return parseDocument(readFileSync(new URL(SNAPSHOT_PATH, TOP), 'utf8'))
}

/** The document that clients were last promised; `npm run generate -- --release` renews it. */
export function readReleasedSnapshot(): Json {
  return parseDocument(readFileSync(new URL(RELEASED_PATH, TOP), 'utf8'))
}

export function parseDocument(text: string): Json {
  const document: unknown = JSON.parse(text)
  if (!isObject(document)) throw new TypeError('an OpenAPI document is an object')
  return document
}

function ownVersion(): string {
  const { version } = parseDocument(readFileSync(new URL('package.json', TOP), 'utf8'))
  return String(version)
}
