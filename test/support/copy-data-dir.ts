import { execFileSync } from 'node:child_process'

/** Copies a data directory that no service uses. Owners and modes stay, which PostgreSQL checks at its start. */
export function copyDataDir(source: string, target: string): void {
  execFileSync('cp', ['-a', source, target])
}
