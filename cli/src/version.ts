import { readFileSync } from 'node:fs'
import type { Terminal } from './terminal.ts'

/** What can stand in a command that a person pastes. */
const VERSION = /^(\d+\.\d+)\.\d+(-[\w.-]+)?$/

export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string } // Our own file.
  return version
}

/** Returns what to do about a refusal when the service has another version than this command; nothing when it has the same. */
export function adviceOnVersion({ serviceVersion = '' }: Pick<Terminal, 'serviceVersion'>): string[] {
  const [, theirs] = VERSION.exec(serviceVersion) ?? []
  const own = readVersion()
  if (theirs === undefined || own.startsWith(`${theirs}.`)) return []
  return [
    `The service is Earshot ${serviceVersion}, and this command is ${own}. If that is why, run: npm install -g @earshot/cli@${serviceVersion}`,
  ]
}
