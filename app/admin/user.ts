import { ApiError, sizes } from '@earshot/contracts'
import { createUser } from '@earshot/db'
import { hashPassword, makePassword, problemOfPassword } from '@earshot/server'
import { type Command, InvalidArgumentError } from 'commander'
import { perform, verb } from './perform.ts'

const { passwordCharactersMin: MIN_CHARACTERS, passwordCharacters: MAX_CHARACTERS } = sizes

export function addUserCommands(user: Command): void {
  verb(user, 'create', 'Create a user')
    .requiredOption('--email <address>', 'e-mail address', parseEmail)
    .option(
      '--password <text>',
      `password of at least ${MIN_CHARACTERS} characters that is not a common one; if omitted, one is generated and shown once`,
      parsePassword,
    )
    .option('--name <text>', 'display name (default: the part of the address before the @)')
    .action((options: { email: string; password?: string; name?: string }) =>
      perform(async (database) => {
        const generated = options.password === undefined ? makePassword() : null
        const name = options.name ?? options.email.split('@', 1)[0] ?? ''
        const problem = generated === null ? await problemOfPassword(options.password ?? '', [options.email, name]) : null
        if (problem) throw new ApiError('validation_error', { detail: `The password ${problem.detail}.` })
        const row = await createUser(database, {
          email: options.email,
          name,
          passwordHash: await hashPassword(generated ?? options.password ?? ''),
        })
        return { id: row.id, email: row.email, name: row.name, ...(generated && { password: generated }) }
      }),
    )
}

function parseEmail(text: string): string {
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return text
  throw new InvalidArgumentError('It must be an e-mail address.')
}

function parsePassword(text: string): string {
  const { length } = Array.from(text)
  if (length >= MIN_CHARACTERS && length <= MAX_CHARACTERS) return text
  throw new InvalidArgumentError(`It must be ${MIN_CHARACTERS} to ${MAX_CHARACTERS} characters long.`)
}
