import { InvalidArgumentError } from 'commander'
import { z } from 'zod'

/** Reads the id of a record from the command line. */
export function readId(text: string): string {
  if (!z.uuid().safeParse(text).success) throw new InvalidArgumentError('It must be an id, such as 01997f2c-7c4b-7c9e-8f6b-3a5d2e1c0b9a.')
  return text
}
