import type { Access, Method, StreamKind } from '../operation.ts'

const TEAM = '/api/v1/teams/{team_id}/'
const PROJECT = `${TEAM}projects/{project_id}/`

/** What the client must know of an operation. */
export interface ClientOperation {
  method: Method
  path: string
  access: Access
  pathFields: ReadonlySet<string>
  /** Fields that travel in a header, with the name of each header. */
  headerFields: ReadonlyMap<string, string>
  /** Whether it returns pages: of a list, or of a feed, whose cursor is never null. */
  pages: false | 'list' | 'feed'
  stream: StreamKind
  waitsSeconds?: number
  reauthenticates: boolean
}

/** Texts of operations, each under its name. */
export interface OperationTexts {
  readonly [name: string]: string | OperationTexts
}

/** Reads an operation of the table. */
export function readOperation(text: string): ClientOperation {
  const [method = '', short = '', ...traits] = text.split(' ')
  const path = short.replace(/^T\//, TEAM).replace(/^P\//, PROJECT)
  const has = (trait: string) => traits.includes(trait)
  const traitOf = (name: string) => traits.find((trait) => trait.startsWith(`${name}:`))?.slice(name.length + 1)
  const [field, header] = traitOf('header')?.split('=') ?? []
  const waitsSeconds = traitOf('waits')
  return {
    method: method as Method, // Proven: the table is made from the contracts.
    path,
    access: accessOf(path),
    pathFields: new Set(Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1] as string)),
    headerFields: new Map(field && header ? [[field, header]] : []),
    pages: has('list') ? 'list' : has('feed') && 'feed',
    stream: has('events') ? 'events' : has('records') && 'records',
    ...(waitsSeconds !== undefined && { waitsSeconds: Number(waitsSeconds) }),
    reauthenticates: has('reauthenticates'),
  }
}

function accessOf(path: string): Access {
  if (path.startsWith('/api/v1/')) return 'credential'
  return path.startsWith('/api/public/') ? 'public' : 'account'
}
