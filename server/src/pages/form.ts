import { ApiError } from '@earshot/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireCarriable } from '../http/input.ts'

/** The fields of a form: one text each. */
export type Form = Readonly<Record<string, string>>

const FORM_BYTES = 65_536
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the form of a request in a scope that reads forms. Without a body it has no fields. */
export function formOf({ body }: FastifyRequest): Form {
  // In such a scope only `readForm` makes bodies.
  return (body ?? {}) as Form
}

/** Makes this scope read forms, and no other bodies. */
export function registerForms(scope: FastifyInstance, limitBytes: number = FORM_BYTES): void {
  scope.removeAllContentTypeParsers()
  addForms(scope, limitBytes)
}

/** Makes this scope read forms too (WHATWG URL §5.1). Refuses repeated fields, and text that PostgreSQL cannot store. */
export function addForms(scope: FastifyInstance, limitBytes: number = FORM_BYTES): void {
  scope.addContentTypeParser(
    /^application\/x-www-form-urlencoded\s*(;|$)/i,
    { parseAs: 'buffer', bodyLimit: limitBytes },
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
    throw new ApiError('validation_error', { detail: 'The form must be encoded as UTF-8.' })
  }
}
