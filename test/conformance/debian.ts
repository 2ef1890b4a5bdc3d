import { run } from './command.ts'

/** Installs Debian's packages where we may; what asked for them looks for itself whether that has helped. */
export async function installDebian(...packages: string[]): Promise<void> {
  if (process.getuid?.() !== 0) return
  const environment = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update', '--quiet'], { environment })
  await run('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', ...packages], { environment, timeoutMs: 600_000 })
}
