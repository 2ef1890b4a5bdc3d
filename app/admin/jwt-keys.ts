import { createSecretBox } from '@earshot/drivers'
import { rotateJwtKey } from '@earshot/server'
import type { Command } from 'commander'
import { perform, verb } from './perform.ts'

export function addJwtKeysCommands(keys: Command): void {
  verb(keys, 'rotate', 'Create a new signing key; tokens signed with the old one stay valid until they expire').action(() =>
    perform(async (database, _config, { secretKey }) => ({ ...(await rotateJwtKey(database, createSecretBox(secretKey))) })),
  )
}
