import type { FastifyServerOptions } from 'fastify'

const refuse = () => () => {
  throw new Error('Routes have no JSON schemas: contracts check what comes in and goes out.')
}

/** Keeps Fastify from loading its compilers of JSON schemas: 0.6 MB of code that nothing would use. */
export const NO_SCHEMAS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: refuse, buildSerializer: refuse },
}
