import { ApiError } from '@earshot/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireCarriable } from '../http/input.ts'

/** The fields of a form: one text each. */
export type Form = Readonly<Record<string, string>>

const FORM_BYTES = 65_536
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** The form that a request in such a scope brought; one without a body is one without fields. */
export function formOf({ body }: FastifyRequest): Form {
  // Only the reader below makes bodies there.
  return (body ?? {}) as Form
}

/** Reads forms, and nothing else, in this scope. */
export function registerForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  addForms(scope)
}

/** Reads forms (WHATWG URL §5.1) in this scope too. A field that comes twice, or that no text column can keep, is refused. */
export function addForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    /^application\/x-www-form-urlencoded\s*(;|$)/i,
    { parseAs: 'buffer', bodyLimit: FORM_BYTES },
    async (_request: unknown, body: Buffer) => readForm(body),
  )
}

function readForm(body: Buffer): Form {
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(decode(body))) {
    if (name in fields) throw new ApiError('validation_error', { errors: [{ field: name, code: 'repeated', detail: 'is given twice' }] })
    fields[name] = value
  }
  requireCarriable(fields)
  return fields
}

function decode(body: Buffer): string {
  try {
    return UTF8.decode(body)
  } catch {
    throw new ApiError('validation_error', { detail: 'The form is not in UTF-8.' })
  }
}
