import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server'
import type { z } from 'zod'
import type { ErrorBody } from './errors.ts'
import type { Contracts } from './index.ts'
import type { Operation } from './operation.ts'

// Types alone, for programs that call /trpc with @trpc/client.

/** The shape of `error` for tRPC clients. Its `data` is the error body of REST. */
export interface ErrorShape {
  message: string
  code: number
  data: ErrorBody
}

type ProcedureOf<O> =
  O extends Operation<infer Verb, string, infer Input, infer Output>
    ? Verb extends 'GET'
      ? TRPCQueryProcedure<{ input: z.input<Input>; output: z.output<Output>; meta: object }>
      : TRPCMutationProcedure<{ input: z.input<Input>; output: z.output<Output>; meta: object }>
    : never

type RecordOf<Tree> = {
  [Name in keyof Tree as Tree[Name] extends { stream: 'events' | 'records' } ? never : Name]: Tree[Name] extends Operation
    ? ProcedureOf<Tree[Name]>
    : RecordOf<Tree[Name]>
}

/** The type of the tRPC router, derived from the contracts. It has the operations with a credential, except streams. */
export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  RecordOf<Omit<Contracts, 'public' | 'auth'>>
>
