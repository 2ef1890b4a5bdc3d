import { createSecretBox } from '@earshot/drivers'
import { rotateJwtKey } from '@earshot/server'
import type { Command } from 'commander'
import { perform, verb } from './perform.ts'

export function addJwtKeysCommands(program: Command): void {
  const keys = program.command('jwt-keys').description('Commands for the keys of JWTs')

  verb(keys, 'rotate', 'Make a new key for the access tokens of log-ins; what the old one signed is good until its end').action(() =>
    perform(async (database, _config, { secretKey }) => ({ ...(await rotateJwtKey(database, createSecretBox(secretKey))) })),
  )
}
